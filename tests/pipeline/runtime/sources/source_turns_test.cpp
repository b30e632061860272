#include "pipeline/runtime/sources/source_turns.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace takt::pipeline {
namespace {

/// Ranks 10, 11, ... as objects that share memory.
std::vector<SourceTurns> turns_of(std::size_t count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 10);
  const std::size_t bytes = SourceTurns::bytes_for(count);
  NodeMemory memory = NodeMemory::create(bytes);
  const std::string handle = memory.handle();
  std::vector<SourceTurns> ranks;
  ranks.emplace_back(std::move(memory), numbers, 0);
  for (std::size_t own = 1; own < count; ++own)
    ranks.emplace_back(NodeMemory::open(handle, bytes), numbers, own);
  return ranks;
}

TEST(SourceTurns, end_the_stream_behind_the_last_round_that_any_rank_has_begun) {
  std::vector<SourceTurns> ranks = turns_of(2);
  for (std::uint64_t round = 0; round < 5; ++round) ranks[0].begin(round, false, 0);
  ranks[1].begin(0, true, 0);
  // Rank 0 has begun round 4: both end with it.
  EXPECT_FALSE(ranks[1].has_ended());
  for (std::uint64_t round = 1; round < 5; ++round) {
    ranks[1].begin(round, true, 0);
    EXPECT_FALSE(ranks[1].has_ended()) << round;
  }
  for (SourceTurns& rank : ranks) {
    rank.begin(5, false, 0);
    EXPECT_TRUE(rank.has_ended());
  }
}

TEST(SourceTurns, begin_an_update_with_the_same_round_on_all_ranks) {
  std::vector<SourceTurns> ranks = turns_of(2);
  for (std::uint64_t round = 0; round < 3; ++round) ranks[0].begin(round, false, 0);
  ranks[1].begin(0, false, 7);
  EXPECT_EQ(ranks[1].change(), 0U);
  for (std::uint64_t round = 1; round < 3; ++round) {
    ranks[1].begin(round, false, 7);
    EXPECT_EQ(ranks[1].change(), 0U) << round;
  }
  for (SourceTurns& rank : ranks) {
    // Whether or not the rank knows that the update is allowed.
    rank.begin(3, false, 0);
    EXPECT_EQ(rank.change(), 7U);
  }
}

TEST(SourceTurns, name_the_slowest_rank_once_it_is_too_far_behind) {
  std::vector<SourceTurns> ranks = turns_of(3);
  ranks[1].begin(0, false, 0);
  ranks[1].begin(1, false, 0);
  ranks[2].begin(0, false, 0);
  std::uint64_t round = 0;
  for (; round < SourceTurns::most_ahead; ++round) {
    ranks[0].begin(round, false, 0);
    EXPECT_EQ(ranks[0].waits_for(round), std::nullopt);
  }
  EXPECT_EQ(ranks[0].waits_for(round), std::nullopt) << "rank 12 has begun round 0";
  ranks[0].begin(round, false, 0);
  EXPECT_EQ(ranks[0].waits_for(round + 1), 12);
  for (std::uint64_t next = 1; next < 4; ++next) ranks[2].begin(next, false, 0);
  EXPECT_EQ(ranks[0].waits_for(round + 1), std::nullopt);
  EXPECT_EQ(ranks[0].waits_for(round + 2), 11);
}

/// Threads in place of ranks: each raises the update now and then and looks with which round it begins.
TEST(SourceTurns, agree_while_all_ranks_work) {
  constexpr std::uint32_t updates = 200;
  std::vector<SourceTurns> ranks = turns_of(3);
  std::array<std::vector<std::uint32_t>, 3> change_of_round;
  std::atomic<std::uint32_t> allowed{0};
  std::vector<std::thread> threads;
  for (std::size_t own = 0; own < ranks.size(); ++own)
    threads.emplace_back([&, own] {
      for (std::uint64_t round = 0;; ++round) {
        while (ranks[own].waits_for(round)) std::this_thread::yield();
        ranks[own].begin(round, ranks[own].change() == updates, allowed);
        if (ranks[own].has_ended()) return;
        change_of_round[own].push_back(ranks[own].change());
        // One update after the other, each by another rank.
        if (ranks[own].change() == allowed && allowed < updates && allowed % ranks.size() == own) ++allowed;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(change_of_round[0], change_of_round[1]);
  EXPECT_EQ(change_of_round[0], change_of_round[2]);
  EXPECT_EQ(change_of_round[0].back(), updates);
}

}  // namespace
}  // namespace takt::pipeline
