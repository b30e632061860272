/// Do the searches of packings and of all sequences agree about a period?

#include "schedulers/exact/exact_packings.hpp"

#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "logp/diagnostics.hpp"
#include "logp/period.hpp"
#include "schedulers/exact/exact_sequences.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/frequency/oracle.hpp"

namespace takt::schedulers {
namespace {

/// Requires a complete search; checks the schedule found.
bool has_packing(const TaskGraph& graph, const logp::Machine& machine, std::int64_t period) {
  const Workload workload(graph, machine);
  std::uint64_t budget = 100'000'000;
  const PackingAnswer answer = find_packing(workload, Time{period}, budget);
  EXPECT_NE(answer.verdict, Verdict::unknown);
  EXPECT_EQ(answer.allocation.has_value(), answer.verdict == Verdict::yes);
  if (!answer.allocation) return false;
  const Schedule schedule = logp::with_least_repetition(
      machine, logp::time_task_messages(graph, machine, *answer.allocation, {.aggregate = false}));
  EXPECT_LE(measure(schedule).repetition.count(), period);
  EXPECT_TRUE(logp::diagnose(graph, machine, schedule, {.limit = 1}).empty());
  return true;
}

TEST(ExactPackings, are_feasible_from_the_least_period_of_all_schedules_on) {
  Random random(31);
  for (const std::string_view text :
       {"logp:P=1", "logp:P=2", "logp:P=3", "logp:P=5", "delay:P=3", "logp:P=3,L=7"}) {
    const logp::Machine machine = logp::parse_machine(text);
    for (int i = 0; i < 25; ++i) {
      // Every other graph has tasks without work.
      const TaskGraph graph =
          oracle::random_graph(random, 1 + random.below(6), 40, i % 2 == 0 ? 20 : 2, 6, i % 2);
      ASSERT_TRUE(can_search_packings(Workload(graph, machine)));
      const std::int64_t least = oracle::least_period_without_overheads(graph, machine);
      EXPECT_TRUE(has_packing(graph, machine, least)) << text << ", graph " << i;
      EXPECT_TRUE(has_packing(graph, machine, least + 3)) << text << ", graph " << i;
      if (least > 1) {
        EXPECT_FALSE(has_packing(graph, machine, least - 1)) << text << ", graph " << i;
      }
    }
  }
}

TEST(ExactPackings, agree_with_the_search_of_sequences_on_larger_graphs) {
  Random random(33);
  for (int i = 0; i < 12; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 9 + random.below(3), 30, 40, 12);
    const logp::Machine machine = logp::parse_machine(i % 2 == 0 ? "logp:P=4,L=3" : "delay:P=3");
    const Workload workload(graph, machine);
    const std::int64_t least =
        measure(find_scheduler("exact_fo").schedule(graph, machine, {})).repetition.count();
    for (const std::int64_t period : {least - 1, least}) {
      const SequenceAnswer answer = find_sequences(workload, Time{period}, 1'000'000);
      EXPECT_EQ(has_packing(graph, machine, period), answer.verdict == Verdict::yes) << "graph " << i;
    }
  }
}

// The search of sequences needs a minute for each of these.
TEST(ExactPackings, prove_waves_with_little_slack) {
  const TaskGraph graph = generate("wave:width=6,depth=2,cost=1..100,data=10,seed=16");
  const logp::Machine machine = logp::parse_machine("logp:P=8");
  EXPECT_FALSE(has_packing(graph, machine, 144));
  EXPECT_TRUE(has_packing(graph, machine, 145));
}

TEST(ExactPackings, are_unknown_when_the_budget_is_spent) {
  const TaskGraph graph = generate("wave:width=6,depth=2,cost=1..100,data=10,seed=16");
  const logp::Machine machine = logp::parse_machine("logp:P=8");
  std::uint64_t budget = 1'000;
  EXPECT_EQ(find_packing(Workload(graph, machine), Time{144}, budget).verdict, Verdict::unknown);
  EXPECT_EQ(budget, 0U);
}

TEST(ExactPackings, do_not_support_different_processors_or_links) {
  const TaskGraph graph = generate("wave:width=3,depth=2");
  for (const std::string_view text : {"logp:P=3,speed=1/2/1", "logp:P=2,o=1", "logp:P=2,g=1"}) {
    const logp::Machine machine = logp::parse_machine(text);
    EXPECT_FALSE(can_search_packings(Workload(graph, machine))) << text;
  }
}

}  // namespace
}  // namespace takt::schedulers
