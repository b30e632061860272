/// Does work during outages start and end as if it were executed tick by tick, and do frames wait during
/// outages and then continue?

#include "logp/outages.hpp"

#include <random>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/graphs/generators.hpp"
#include "logp/simulation.hpp"
#include "logp/timing.hpp"

namespace takt::logp {
namespace {

TEST(Outages, delay_and_stretch_work_as_if_it_were_executed_tick_by_tick) {
  std::mt19937 random(7);
  const auto number = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  for (int round = 0; round < 500; ++round) {
    std::vector<Outage> outages;
    for (int i = number(0, 5); i > 0; --i) {
      const int begin = number(0, 60);
      outages.push_back({ProcessorId(number(0, 1)), Time{begin}, Time{begin + number(1, 20)}});
    }
    const Outages all(outages, 2);
    const Time ready{number(0, 70)}, length{number(1, 20)};
    const auto is_out = [&](Time tick) {
      for (const Outage& each : outages)
        if (each.processor == ProcessorId(1) && each.begin <= tick && tick < each.end) return true;
      return false;
    };
    Time tick = ready;
    while (is_out(tick)) ++tick;
    const Time start = tick;
    for (Time left = length; left > Time{0}; ++tick)
      if (!is_out(tick)) --left;
    const Outages::Work work = all.work(1, ready, length);
    EXPECT_EQ(work.start, start);
    EXPECT_EQ(work.end, tick);
  }
}

TEST(Outages, delay_frames_and_lose_those_that_find_a_full_queue) {
  // A frame every 10, work of 5: an outage of 100 makes 10 wait; those after the first 4 are lost.
  const TaskGraph graph = generate("chain:depth=0,cost=5");
  const Machine machine = Machine::delay(1);
  Schedule schedule("s", 1);
  schedule.add_compute(ProcessorId(0), TaskId(0), Time{0}, Time{5});
  SimulationOptions options{.frames = 100, .frame_interval = 10};
  options.outages = {{ProcessorId(0), Time{200}, Time{300}}};
  const SimulationResult patient = simulate(graph, machine, schedule, options);
  EXPECT_EQ(patient.delivered, 100U);
  EXPECT_EQ(patient.latencies.back(), Time{105});
  EXPECT_EQ(patient.processors[0].compute, Time{500});
  // Frame 20 arrives at 200; later frames wait for work, not for the processor.
  EXPECT_EQ(patient.processors[0].outage, Time{100});
  options.input_places = 4;
  const SimulationResult full = simulate(graph, machine, schedule, options);
  EXPECT_EQ(full.delivered + full.lost, 100U);
  // Those of 200 to 230 wait; those of 240 to 290 find a full queue; at 300 there is room.
  EXPECT_EQ(full.lost, 6U);
}

TEST(Outages, that_are_invalid_are_refused) {
  const auto make = [](Outage outage) { return Outages(std::span(&outage, 1), 2); };
  EXPECT_THROW(make({ProcessorId(2), Time{0}, Time{1}}), ConfigError);
  EXPECT_THROW(make({ProcessorId(0), Time{5}, Time{5}}), ConfigError);
  EXPECT_THROW(make({ProcessorId(0), Time{-1}, Time{5}}), ConfigError);
}

}  // namespace
}  // namespace takt::logp
