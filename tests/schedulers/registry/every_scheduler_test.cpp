/// Does every registered scheduler have a valid schedule on every shape, number of processors and machine?

#include <string>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {
namespace registry_every_scheduler_test {

constexpr std::string_view shapes[] = {
    "chain:depth=6,cost=1..9,seed=1",
    "send_tree:depth=0,cost=5",
    "send_tree:depth=4,cost=1..100,seed=2,data=3",
    "receive_tree:depth=4,cost=1..100,seed=3,data=3",
    "fft:depth=3,cost=1..100,seed=4,data=10",
    "inverse_fft:depth=3,cost=1..10,seed=5",
    "diamond:depth=5,cost=1..100,seed=6",
    "wave:depth=4,width=6,cost=1..100,seed=7,data=10",
    "wave:depth=0,width=5,cost=1..100,seed=8",
    "fork_join:depth=2,width=5,cost=0..3,seed=9",
    "gauss:size=6,cost=1..100,seed=10,data=2",
    "laplace:size=5,cost=1..50,seed=11",
    "layered:tasks=60,jump=3,cost=1..100,seed=12,data=1..20",
};

/// Machines without their number of processors.
constexpr std::string_view machines[] = {
    "logp:P={},L=0,o=0,g=0",
    "logp:P={},L=1,o=1,g=2",
    "logp:P={},L=30,o=2,g=7",
    "logp:P={},L=100,o=1,g=3",
    "logp:P={},L=5,o=0,g=50",
    "loglinear:P={},L=1+1,o=1+1,g=2+2",
    "loglinear:P={},L=40+0.5,o=3+0.25,g=5+1.5",
    "delay:P={}",
    "delay:P={0},network=complete:{0}",
    "loglinear:P={0},L=9+1,o=2,g=3,network=complete:{0},link=3+1",
};

/// Searches need not find much here.
const Options quick{.effort = 300};

using Case = std::tuple<std::string_view, std::string_view, std::size_t>;
class EveryScheduler : public ::testing::TestWithParam<Case> {};

TEST_P(EveryScheduler, gives_a_valid_schedule) {
  const auto [shape, machine_format, processors] = GetParam();
  const TaskGraph graph = generate(shape);
  const logp::Machine machine = logp::parse_machine(fmt::format(fmt::runtime(machine_format), processors));
  for (const Scheduler& scheduler : all_schedulers()) {
    const Schedule schedule = scheduler.schedule(graph, machine, quick);
    for (const logp::Finding& finding : logp::diagnose(graph, machine, schedule, {.limit = 3}))
      ADD_FAILURE() << scheduler.name << ": " << finding.rule << ": " << finding.message;
    EXPECT_EQ(schedule.scheduler, scheduler.name);
    const ScheduleMetrics metrics = measure(schedule);
    EXPECT_GE(metrics.exact_period(), PeriodBounds(graph, machine).best().period) << scheduler.name;
    EXPECT_GE(metrics.makespan, metrics.occupancy.front().occupied()) << scheduler.name;
    EXPECT_EQ(schedule, scheduler.schedule(graph, machine, quick)) << scheduler.name << " is not a function";
  }
}

INSTANTIATE_TEST_SUITE_P(Grid, EveryScheduler,
                         ::testing::Combine(::testing::ValuesIn(shapes), ::testing::ValuesIn(machines),
                                            ::testing::Values(1, 2, 3, 8)));

TEST(EverySchedulerOnDifferentSpeeds, gives_a_valid_schedule) {
  const logp::Machine machine = logp::parse_machine("logp:P=4,L=3,o=1,g=2,speed=1/0.5/2.5/1");
  for (std::string_view shape : shapes) {
    const TaskGraph graph = generate(shape);
    for (const Scheduler& scheduler : all_schedulers())
      for (const logp::Finding& finding :
           logp::diagnose(graph, machine, scheduler.schedule(graph, machine, quick), {.limit = 3}))
        ADD_FAILURE() << scheduler.name << " on " << shape << ": " << finding.rule << ": " << finding.message;
  }
}

TEST(EverySchedulerOnAnEmptyGraph, gives_an_empty_schedule) {
  const TaskGraph graph = TaskGraphBuilder().build();
  const logp::Machine machine = logp::parse_machine("logp:P=3,L=1,o=1,g=2");
  for (const Scheduler& scheduler : all_schedulers())
    for (const std::vector<Operation>& operations : scheduler.schedule(graph, machine, quick).processors)
      EXPECT_TRUE(operations.empty()) << scheduler.name;
}

}  // namespace registry_every_scheduler_test
}  // namespace takt::schedulers
