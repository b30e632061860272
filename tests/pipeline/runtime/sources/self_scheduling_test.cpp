#include "pipeline/runtime/sources/self_scheduling.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/system/clock.hpp"

namespace takt::test {
namespace {

using pipeline::NodeMemory;
using pipeline::SelfScheduling;

/// Returns ranks as threads, each with its own view of the memory.
std::vector<SelfScheduling> ranks_with(const std::vector<std::uint64_t>& frames_per_round) {
  std::vector<SelfScheduling> ranks;
  NodeMemory memory = NodeMemory::create(SelfScheduling::bytes);
  const std::string handle = memory.handle();
  for (std::size_t i = 1; i < frames_per_round.size(); ++i)
    ranks.emplace_back(NodeMemory::open(handle, SelfScheduling::bytes), frames_per_round[i]);
  ranks.emplace(ranks.begin(), std::move(memory), frames_per_round.front());
  return ranks;
}

struct Claimed {
  std::uint64_t frame = 0;
  std::uint32_t change = 0;
  bool begins = false;
};

/// All threads claim until one of them stops the stream. Some raise the change,
/// and each applies it when it sees it.
TEST(SelfScheduling, assigns_each_frame_to_one_rank_and_each_change_one_first_frame) {
  constexpr std::uint32_t changes = 1'500;
  static_assert(changes < SelfScheduling::most_changes);
  const std::vector<std::uint64_t> frames_per_round{1, 2, 5};
  std::vector<SelfScheduling> ranks = ranks_with(frames_per_round);
  std::vector<std::vector<Claimed>> claimed(ranks.size());
  std::atomic<std::uint32_t> allowed{0};
  std::atomic<std::size_t> at_work{0};
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    threads.emplace_back([&, rank] {
      SelfScheduling& own = ranks[rank];
      for (std::size_t round = 0;; ++round) {
        const std::uint32_t change = allowed.load();
        own.begin_iteration(now_ns(), rank == 1 && change >= changes && at_work == ranks.size(), change);
        if (own.has_ended()) return;
        for (std::uint64_t i = 0; i < frames_per_round[rank]; ++i)
          claimed[rank].push_back({own.first() + i, own.change(), own.begins_change() && i == 0});
        own.end_iteration();
        if (round == 100) ++at_work;
        if (rank == 0 && change < changes) allowed = change + 1 + change % 3;
      }
    });
  for (std::thread& thread : threads) thread.join();

  std::vector<Claimed> all;
  for (const std::vector<Claimed>& own : claimed) {
    EXPECT_FALSE(own.empty());
    EXPECT_TRUE(std::ranges::is_sorted(own, {}, &Claimed::frame));
    all.insert(all.end(), own.begin(), own.end());
  }
  std::ranges::sort(all, {}, &Claimed::frame);
  std::uint32_t last = 0;
  std::size_t holes = 0, late = 0, unsaid = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k].frame != k) ++holes;
    if (all[k].change < last) ++late;
    if (all[k].begins != (all[k].change != last)) ++unsaid;
    last = all[k].change;
  }
  EXPECT_EQ(holes, 0U);
  EXPECT_EQ(late, 0U);
  EXPECT_EQ(unsaid, 0U);
  EXPECT_GT(last, 0U);
}

/// The numbers of changes exceed the range of a ticket.
TEST(SelfScheduling, supports_more_changes_than_a_ticket_can_hold) {
  std::vector<SelfScheduling> ranks = ranks_with({1, 1});
  for (std::uint32_t change = 0; change < 5 * SelfScheduling::most_changes; change += 700) {
    const std::int64_t now = 1'000'000'000L * (change + 1);
    ranks[0].begin_iteration(now, false, change);
    EXPECT_EQ(ranks[0].change(), change);
    EXPECT_EQ(ranks[0].begins_change(), change > 0);
    ranks[0].end_iteration();
    // It has seen the change before the previous one.
    ranks[1].begin_iteration(now, false, change - std::min(change, 1400U));
    EXPECT_EQ(ranks[1].change(), change);
    EXPECT_FALSE(ranks[1].begins_change());
    ranks[1].end_iteration();
  }
}

/// Returns how many iterations of this duration a rank claims together, with two ranks and a simulated clock.
double rounds_at_once(std::int64_t round_ns) {
  std::vector<SelfScheduling> ranks = ranks_with({1, 1});
  std::uint64_t before = 0;
  double claims = 0;
  constexpr int counted = 2'000, warm_up = 500;
  for (int i = 0; i < counted + warm_up; ++i) {
    for (SelfScheduling& rank : ranks) rank.begin_iteration(i * round_ns, false, 0);
    if (i >= warm_up && ranks[0].first() != before + 1) ++claims;
    before = ranks[0].first();
    for (SelfScheduling& rank : ranks) rank.end_iteration();
  }
  return counted / claims;
}

TEST(SelfScheduling, claims_as_many_iterations_as_fit_20_us) {
  EXPECT_EQ(rounds_at_once(1'000'000), 1);
  EXPECT_EQ(rounds_at_once(50'000), 1);
  const double of_a_us = rounds_at_once(1'000);
  EXPECT_GE(of_a_us, 10);
  EXPECT_LE(of_a_us, 40);
  EXPECT_GT(rounds_at_once(10), 60);
}

/// A rank that is ten times slower processes a tenth of the frames, and no rank waits.
TEST(SelfScheduling, assigns_frames_to_free_ranks) {
  std::vector<SelfScheduling> ranks = ranks_with({1, 1});
  const std::array<std::int64_t, 2> round_ns{100'000, 1'000'000};
  std::array<std::int64_t, 2> free_at{0, 0};
  std::map<std::size_t, std::uint64_t> frames;
  for (int i = 0; i < 11'000; ++i) {
    const std::size_t next = free_at[0] <= free_at[1] ? 0 : 1;
    ranks[next].begin_iteration(free_at[next], false, 0);
    ranks[next].end_iteration();
    free_at[next] += round_ns[next];
    ++frames[next];
  }
  EXPECT_NEAR(static_cast<double>(frames[0]) / static_cast<double>(frames[1]), 10, 0.1);
}

}  // namespace
}  // namespace takt::test
