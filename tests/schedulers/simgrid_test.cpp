/// Does SimGrid, which shares nothing with takt, see the same makespan, occupancies and period in every
/// scheduler's schedules?

#include <algorithm>
#include <deque>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/generators.hpp"
#include "logp/period.hpp"
#include "schedulers/scheduler.hpp"
#include "tests/schedulers/simgrid_replay.hpp"

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

/// None of these reaches the capacity of ceil(L / g) messages, which SimGrid does not know.
constexpr std::string_view machines[] = {
    "logp:P=3",
    "logp:P=3,L=7,o=2,g=0",
    "loglinear:P=3,L=5+2,o=1+1,g=0",
    "delay:P=4",
    "logp:P=3,L=4,o=1,g=0,speed=1/0.5/2",
};

/// Here it can be reached, and messages have to wait that do not in SimGrid.
constexpr std::string_view crowded_machines[] = {"logp:P=4,L=1,o=1,g=2", "loglinear:P=3,L=6+1,o=1+1,g=4+2"};

struct Case {
  std::string name;
  TaskGraph graph;
  logp::Machine machine;
  Schedule schedule;
  bool crowded;
};

std::deque<Case> make_cases() {
  std::deque<Case> cases;
  for (std::string_view shape : shapes)
    for (const schedulers::Scheduler& scheduler : schedulers::all_schedulers()) {
      auto add = [&](std::string_view machine_text, bool crowded) {
        TaskGraph graph = generate(shape);
        logp::Machine machine = logp::parse_machine(machine_text);
        Schedule schedule = scheduler.schedule(graph, machine, {.effort = 300});
        cases.push_back({fmt::format("{} on {} under {}", scheduler.name, shape, machine_text),
                         std::move(graph), std::move(machine), std::move(schedule), crowded});
      };
      for (std::string_view machine : machines) add(machine, false);
      for (std::string_view machine : crowded_machines) add(machine, true);
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
    EXPECT_GE(occupied, one.crowded ? 0 : expected - rounding) << "processor " << p;
  }
  const auto makespan = static_cast<double>(planned.makespan.count());
  EXPECT_LE(last - first, makespan + rounding);
  EXPECT_GE(last - first, one.crowded ? 0 : makespan - rounding);
}

void compare_many_repetitions(const Case& one, const ReplayResult& seen) {
  // The smallest whole period is the sustained one rounded up.
  const auto smallest = static_cast<double>(logp::smallest_period(one.machine, one.schedule).count());
  EXPECT_LE(seen.sustained_period, smallest + rounding);
  EXPECT_GT(seen.sustained_period, one.crowded ? 0 : smallest - 1 - rounding);
}

TEST(SimGrid, sees_the_same_occupancies_makespan_and_smallest_period) {
  const std::deque<Case> cases = make_cases();
  std::vector<ReplayCase> replays;
  for (const Case& one : cases) replays.push_back({&one.graph, &one.machine, &one.schedule});
  const std::vector<ReplayResult> results = replay(replays);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].name);
    compare_one_repetition(cases[i], results[i]);
    compare_many_repetitions(cases[i], results[i]);
  }
}

}  // namespace
}  // namespace takt::test
