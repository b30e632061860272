/// Does SimGrid, without common code, compute the same makespan, occupancies and period for every scheduler's
/// schedules?

#include <algorithm>
#include <deque>
#include <limits>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "logp/period.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/registry/simgrid_replay.hpp"

namespace takt::test {
namespace {

constexpr std::string_view shapes[] = {
    "chain:depth=4,cost=1..9,seed=1",
    "send_tree:depth=3,cost=1..20,seed=2,data=3",
    "receive_tree:depth=3,cost=1..20,seed=3",
    "fft:depth=3,cost=1..20,seed=4,data=5",
    "diamond:depth=3,cost=1..20,seed=5,data=2",
    "layered:tasks=30,jump=3,cost=1..20,seed=6,data=1..9",
    // Here frames alternate between processors.
    "diamond:depth=2,cost=1..20,seed=7,data=3,stateless=1",
};

/// None of these reaches the capacity of ceil(L / g) messages, which SimGrid does not model.
constexpr std::string_view machines[] = {
    "logp:P=3",
    "logp:P=3,L=7,o=2,g=0",
    "loglinear:P=3,L=5+2,o=1+1,g=0",
    "delay:P=4",
    "logp:P=3,L=4,o=1,g=0,speed=1/0.5/2",
};

/// Here it can be reached, and messages then wait that do not in SimGrid.
constexpr std::string_view gap_machines[] = {"logp:P=4,L=1,o=1,g=2", "loglinear:P=3,L=6+1,o=1+1,g=4+2"};

/// Messages use the links of these, one at a time on each.
constexpr std::string_view networks[] = {
    "delay:P=4,network=ring:4,link=3+1",
    "loglinear:P=6,L=2+1,o=1,network=mesh:2x3,link=2+2",
    "logp:P=9,o=2,network=torus:3x3,link=1+1",
    "logp:P=8,L=3,o=1,network=hypercube:3,link=0+3,speed=1/2/1/1/0.5/1/1/1",
    "logp:P=4,o=1,network=star:5,link=4+1",
    "delay:P=4,network=fat_tree:2x2,link=2+4",
    "logp:P=4,L=1,o=1,network=complete:4,link=5+2",
};

/// Between any two processors, in each direction, messages have other costs.
logp::Machine machine_by_pairs() {
  std::mt19937_64 random(11);
  auto cost = [&](int most) { return logp::Cost(static_cast<double>(random() % most), 1); };
  std::vector<logp::PairCosts> pairs;
  for (ProcessorId from : ids<ProcessorId>(4))
    for (ProcessorId to : ids<ProcessorId>(4))
      if (from != to)
        pairs.push_back(
            {from, to, {.latency = cost(20), .send_overhead = cost(4), .receive_overhead = cost(4)}});
  return {Platform::uniform(4), {}, std::move(pairs)};
}

struct Case {
  std::string name;
  TaskGraph graph;
  logp::Machine machine;
  Schedule schedule;
  Schedule repeated;
  bool has_gaps;
};

std::deque<Case> make_cases() {
  std::deque<Case> cases;
  for (std::size_t place = 0; place < std::size(shapes); ++place)
    for (const schedulers::Scheduler& scheduler : schedulers::all_schedulers()) {
      const std::string_view shape = shapes[place];
      auto add = [&](std::string_view name, logp::Machine machine, bool has_gaps) {
        TaskGraph graph = generate(shape);
        // The simulator repeats frame after frame.
        Schedule schedule = scheduler.schedule(
            graph, machine, {.effort = 300, .frames = schedulers::FrameClass::interleaved});
        Schedule repeated = logp::with_least_repetition(machine, schedule);
        cases.push_back({fmt::format("{} on {} under {}", scheduler.name, shape, name), std::move(graph),
                         std::move(machine), std::move(schedule), std::move(repeated), has_gaps});
      };
      // Each scheduler runs with each shape and each machine, but not with each pair of them.
      for (std::size_t i = 0; i < std::size(machines); ++i)
        if ((i + place) % 2 == 0) add(machines[i], logp::parse_machine(machines[i]), false);
      for (std::size_t i = 0; i < std::size(gap_machines); ++i)
        if ((i + place) % 2 == 0) add(gap_machines[i], logp::parse_machine(gap_machines[i]), true);
      // The list schedulers route like those for networks: one network each is enough for them.
      for (std::size_t i = 0; i < std::size(networks); ++i)
        if (scheduler.family == "network" ? (i + place) % 2 == 0 : scheduler.family == "list" && i == place)
          add(networks[i], logp::parse_machine(networks[i]), false);
        // Planned for repetition, they may occupy processors less long when executed once.
        else if (scheduler.family == "frequency" && i == place)
          add(networks[i], logp::parse_machine(networks[i]), true);
      if (place % 2 == 1) add("costs by pairs", machine_by_pairs(), false);
    }
  return cases;
}

constexpr double rounding = 1e-6;

void compare_one_repetition(const Case& one, const ReplayResult& seen) {
  const ScheduleMetrics planned = measure(one.schedule);
  double first = std::numeric_limits<double>::max(), last = 0;
  for (std::size_t p = 0; p < planned.occupancy.size(); ++p) {
    if (one.schedule.processors[p].empty()) continue;
    first = std::min(first, seen.first_starts[p]);
    last = std::max(last, seen.last_ends[p]);
    const double occupied = seen.last_ends[p] - seen.first_starts[p];
    const auto expected = static_cast<double>(planned.occupancy[p].occupied().count());
    EXPECT_LE(occupied, expected + rounding) << "processor " << p;
    EXPECT_GE(occupied, one.has_gaps ? 0 : expected - rounding) << "processor " << p;
  }
  const auto makespan = static_cast<double>(planned.makespan.count());
  EXPECT_LE(last - first, makespan + rounding);
  EXPECT_GE(last - first, one.has_gaps ? 0 : makespan - rounding);
}

void compare_many_repetitions(const Case& one, const ReplayResult& seen) {
  // The smallest integer period is the sustained one rounded up.
  const auto smallest = static_cast<double>(measure(one.repeated).repetition.count());
  EXPECT_LE(seen.sustained_period, smallest + rounding);
  EXPECT_GT(seen.sustained_period, one.has_gaps ? 0 : smallest - 1 - rounding);
}

TEST(SimGrid, has_the_same_occupancies_makespan_and_smallest_period) {
  const std::deque<Case> cases = make_cases();
  std::vector<ReplayCase> replays;
  for (const Case& one : cases) replays.push_back({&one.graph, &one.machine, &one.schedule, &one.repeated});
  const std::vector<ReplayResult> results = replay(replays);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].name);
    compare_one_repetition(cases[i], results[i]);
    compare_many_repetitions(cases[i], results[i]);
  }
}

}  // namespace
}  // namespace takt::test
