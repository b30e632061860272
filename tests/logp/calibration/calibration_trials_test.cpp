/// Do predictions of trials follow from the costs, and can random schedules be replayed?

#include <algorithm>
#include <map>

#include <gmock/gmock.h>

#include "logp/calibration/command.hpp"
#include "logp/calibration/hold_out.hpp"
#include "logp/calibration/link_campaign.hpp"
#include "logp/calibration/refine.hpp"
#include "logp/calibration/replay.hpp"

namespace takt::logp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const LinkCosts costs{.latency = {300, 0.5},
                      .send_overhead = {100, 0},
                      .receive_overhead = {200, 0.1},
                      .send_gap = {150, 0.2},
                      .receive_gap = {150, 0.2}};

// 1000 bytes: o_send 100, L 800, o_recv 300, g 350.
TEST(Predictions, follow_from_the_costs) {
  EXPECT_DOUBLE_EQ(lone_message_time(costs, Bytes{1000}), 1200);
  EXPECT_DOUBLE_EQ(burst_time(costs, Bytes{1000}, 1), 1200);
  EXPECT_DOUBLE_EQ(burst_time(costs, Bytes{1000}, 5), 1200 + 4 * 350);
  EXPECT_DOUBLE_EQ(fan_in_time(costs, Bytes{1000}, 5), 1200 + 4 * 350);
  // 100 bytes: g 170 is less than o_recv 210.
  EXPECT_DOUBLE_EQ(burst_time(costs, Bytes{100}, 3), 100 + 350 + 210 + 2 * 210);
  EXPECT_EQ(burst_time_by_gap(costs, Bytes{100}, 3), 100 + 350 + 210 + 2 * 170);
  EXPECT_EQ(burst_time_by_gap(costs, Bytes{1000}, 5), std::nullopt);
  // The sender's overhead is included.
  LinkCosts slow_sender = costs;
  slow_sender.send_overhead = {190, 0};
  EXPECT_EQ(burst_time_by_gap(slow_sender, Bytes{100}, 3), 190 + 350 + 210 + 2 * 190);
}

TEST(HoldOutSizes, are_evenly_distributed_and_unmeasured) {
  const std::vector<Bytes> measured = powers_of_two(Bytes{16 << 20});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<Bytes> sizes = hold_out_sizes(measured, 8, seed);
    ASSERT_THAT(sizes, SizeIs(8));
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_FALSE(std::binary_search(measured.begin(), measured.end(), sizes[i]));
      EXPECT_GE(sizes[i].count, 1ULL << (3 * i));
      EXPECT_LT(sizes[i], measured.back());
    }
    EXPECT_EQ(sizes, hold_out_sizes(measured, 8, seed));
  }
}

TEST(Trial, passes_within_the_tolerance_or_the_clocks_accuracy) {
  const Trial trial{.predicted = 1250, .measured = 1000};
  EXPECT_TRUE(trial.passes(0.25));
  EXPECT_FALSE(trial.passes(0.24));
  EXPECT_DOUBLE_EQ(trial.error(), 0.25);
  // 100 ns, and 50 ns for each of two messages.
  EXPECT_TRUE((Trial{.predicted = 300, .measured = 100, .messages = 2}.passes(0.1)));
  EXPECT_FALSE((Trial{.predicted = 301, .measured = 100, .messages = 2}.passes(0.1)));
}

TEST(Trial, of_a_stream_is_between_the_predictions_of_gap_and_overhead) {
  const auto trial = [](double measured) {
    return Trial{.predicted = 2000, .measured = measured, .by_gap = 1000};
  };
  for (const double measured : {1000., 1500., 2000.}) EXPECT_DOUBLE_EQ(trial(measured).error(), 0);
  EXPECT_DOUBLE_EQ(trial(800).error(), 0.25);
  EXPECT_DOUBLE_EQ(trial(2500).error(), -0.2);
  EXPECT_FALSE(trial(800).passes(0.2));
}

std::vector<Trial> trials_off_by(const std::vector<double>& errors) {
  std::vector<Trial> trials;
  for (const double error : errors)
    trials.push_back({.kind = "burst",
                      .what = "test",
                      .predicted = 1e6 * (1 + error),
                      .measured = 1e6,
                      .messages = 1,
                      .visits = 9});
  return trials;
}

TEST(Trials, may_miss_the_tolerance_once_in_four) {
  EXPECT_THAT(objections_of(trials_off_by({0, .1, -.3, 0, 0, 0, 0, .3}), 0.25), IsEmpty());
  EXPECT_THAT(objections_of(trials_off_by({0, .1, -.2, 0, 0, 0, .3}), 0.25), IsEmpty());
  EXPECT_THAT(objections_of(trials_off_by({0, .1, .3}), 0.25), SizeIs(1));
  EXPECT_THAT(objections_of(trials_off_by({0, .1, -.3, 0, .4, 0, 0, .3}), 0.25), SizeIs(3));
  EXPECT_THAT(objections_of(trials_off_by({0, 0, 0, 0, 0, 0, 0, .6}), 0.25),
              ElementsAre(HasSubstr("took 1000000 ns, predicted 1600000 ns (+60 %, allowed 25 %)")));
}

TEST(Trials, need_at_least_half_of_them_undisturbed) {
  std::vector<Trial> trials = trials_off_by({0, 0, 0, 0});
  trials[0].visits = trials[1].visits = 0;
  EXPECT_THAT(objections_of(trials, 0.25), IsEmpty());
  trials[2].visits = 0;
  EXPECT_THAT(objections_of(trials, 0.25), ElementsAre(HasSubstr("only 1 of 4 trials")));
}

TEST(Replay, is_the_same_for_the_same_seed) {
  const Replay one = random_replay(costs, {.seed = 5}), same = random_replay(costs, {.seed = 5}),
               other = random_replay(costs, {.seed = 6});
  EXPECT_EQ(one.programs, same.programs);
  EXPECT_NE(one.programs, other.programs);
}

// A step is possible when its rank reaches it and, for a receive, when the message was sent: executed without
// times, every program ends, the first processor's last.
TEST(Replay, can_be_executed) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Replay replay = random_replay(costs, {.processors = 2 + seed % 3, .seed = seed});
    std::vector<std::size_t> next(replay.programs.size(), 0);
    std::map<std::uint32_t, Bytes> under_way;
    Time computed{0};
    bool moved = true;
    while (moved) {
      moved = false;
      for (std::size_t rank = 0; rank < next.size(); ++rank)
        while (next[rank] < replay.programs[rank].size()) {
          const ReplayStep& step = replay.programs[rank][next[rank]];
          if (step.kind == OperationKind::send) under_way[step.message] = step.size;
          if (step.kind == OperationKind::receive) {
            if (!under_way.contains(step.message)) break;
            EXPECT_EQ(under_way[step.message], step.size);
            under_way.erase(step.message);
          }
          if (step.kind == OperationKind::compute) computed += step.duration;
          ++next[rank];
          moved = true;
        }
    }
    for (std::size_t rank = 0; rank < next.size(); ++rank)
      EXPECT_EQ(next[rank], replay.programs[rank].size());
    EXPECT_THAT(under_way, IsEmpty());
    EXPECT_EQ(replay.programs[0].front().kind, OperationKind::compute);
    EXPECT_EQ(replay.programs[0].back().kind, OperationKind::compute);
    EXPECT_GT(replay.predicted, computed / static_cast<int>(next.size()));
  }
}

TEST(Orders, arrive_unchanged) {
  Command order{.action = Action::replay,
                .ranks = {3, 0, 7},
                .size = Bytes{1ULL << 40},
                .count = 5,
                .warm_up = 4,
                .batch = 3,
                .slots = 6,
                .lead_in = 9,
                .repeats = 2,
                .settle = 1234,
                .programs = random_replay(costs, {.processors = 3}).programs};
  const Command read = decode_command(encode(order));
  EXPECT_EQ(read.action, order.action);
  EXPECT_EQ(read.ranks, order.ranks);
  EXPECT_EQ(read.size, order.size);
  EXPECT_EQ(read.count, 5U);
  EXPECT_EQ(read.warm_up, 4U);
  EXPECT_EQ(read.batch, 3U);
  EXPECT_EQ(read.slots, 6U);
  EXPECT_EQ(read.lead_in, 9U);
  EXPECT_EQ(read.repeats, 2U);
  EXPECT_EQ(read.settle, 1234U);
  EXPECT_EQ(read.programs, order.programs);

  const Reply reply{{.switches = 3, .times = {1.5, -2}, .other_times = {}}, {.other_times = {1e300}}};
  const Reply same = decode_reply(encode(reply));
  ASSERT_THAT(same, SizeIs(2));
  EXPECT_EQ(same[0].switches, 3U);
  EXPECT_THAT(same[0].times, ElementsAre(1.5, -2));
  EXPECT_THAT(same[1].other_times, ElementsAre(1e300));
}

TEST(Bursts, use_all_slots_in_one_direction_first) {
  EXPECT_EQ(bursts_one_way({.count = 8, .slots = 1}), 1U);
  EXPECT_EQ(bursts_one_way({.count = 8, .slots = 8}), 1U);
  EXPECT_EQ(bursts_one_way({.count = 4, .slots = 8}), 2U);
  EXPECT_EQ(bursts_one_way({.count = 3, .slots = 8}), 2U);
}

/// 8 MiB in all, but at least four slots; a burst uses no slot twice.
TEST(Places, have_several_slots_for_every_size) {
  constexpr Bytes mebibyte{1 << 20};
  EXPECT_EQ(ring_slots(Bytes{0}, 8), 8U);
  EXPECT_EQ(ring_slots(mebibyte, 8), 8U);
  EXPECT_EQ(ring_slots(Bytes{3 << 20}, 8), 4U);
  EXPECT_EQ(ring_slots(Bytes{16 << 20}, 8), 4U);
  EXPECT_EQ(ring_slots(mebibyte, 1), 1U);
  EXPECT_EQ(burst_length(Bytes{1}, 8, 32), 32U);
  EXPECT_EQ(burst_length(Bytes{64 << 10}, 8, 32), 16U);
  EXPECT_EQ(burst_length(mebibyte, 8, 32), 8U);
  EXPECT_EQ(burst_length(mebibyte, 8, 3), 3U);
  EXPECT_EQ(burst_length(mebibyte, 1, 32), 2U);
  // 4 times 16 MiB, and enough small slots for a burst.
  EXPECT_GE(LinkCampaign::memory({}), 4U << 24);
}

}  // namespace
}  // namespace takt::logp
