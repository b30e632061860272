/// Does an independent solver of a constraint model confirm the optima of the exact schedulers?

#include "tests/schedulers/exact/constraint_model.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "core/random.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/frequency/oracle.hpp"

namespace takt::schedulers {
namespace {

/// Larger graphs than those for which every order can be tried.
std::vector<TaskGraph> graphs(std::uint64_t seed) {
  Random random(seed);
  std::vector<TaskGraph> result;
  for (int i = 0; i < 8; ++i) result.push_back(oracle::random_graph(random, 8, 30, 9, 12));
  for (std::string_view text :
       {"receive_tree:depth=2,cost=1..9,ccr=5", "fork_join:depth=2,width=3,cost=1..9,ccr=1",
        "gauss:size=3,cost=1..9,ccr=10", "fft:depth=1,cost=1..9,ccr=2"})
    result.push_back(generate(fmt::format("{},seed={}", text, seed)));
  return result;
}

TEST(ConstraintModel, agrees_on_the_shortest_makespan) {
  for (std::string_view text : {"delay:P=2", "delay:P=3,speed=1/2/1"}) {
    const logp::Machine machine = logp::parse_machine(text);
    for (const TaskGraph& graph : graphs(1)) {
      const Schedule made = find_scheduler("exact_makespan").schedule(graph, machine, {});
      const std::int64_t length = measure(made).makespan.count();
      ASSERT_EQ(made.makespan_bound, Time(length)) << text;
      EXPECT_TRUE(oracle::has_makespan_within(graph, machine, length)) << text;
      EXPECT_FALSE(oracle::has_makespan_within(graph, machine, length - 1)) << text;
    }
  }
}

TEST(ConstraintModel, agrees_on_the_highest_frequency) {
  std::size_t proven = 0;
  for (std::string_view text : {"logp:P=2,L=4", "loglinear:P=3,L=1+1,speed=1/2/1"}) {
    const logp::Machine machine = logp::parse_machine(text);
    for (const TaskGraph& graph : graphs(2)) {
      const Schedule made =
          find_scheduler("exact_fo").schedule(graph, machine, {.frames = FrameClass::one_at_a_time});
      const ScheduleMetrics metrics = measure(made);
      EXPECT_TRUE(oracle::has_period_within(graph, machine, metrics.repetition.count())) << text;
      // A bound must be valid, whether it is proven optimal or not.
      ASSERT_TRUE(made.period_bound);
      EXPECT_FALSE(oracle::has_period_within(graph, machine, made.period_bound->time_of(1).count() - 1))
          << text;
      proven += made.optimal ? 1 : 0;
    }
  }
  EXPECT_GE(proven, 20U);
}

}  // namespace
}  // namespace takt::schedulers
