/// Do pipelined schedules with groups reach the best stacks of all groups, and are they valid?

#include "schedulers/pipelining/pipelined_groups.hpp"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>

#include "core/graphs/task_groups.hpp"
#include "logp/diagnostics.hpp"
#include "logp/timing.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/moldable/examples.hpp"

namespace takt::schedulers {
namespace {

using moldable_tests::clusters;
using ::testing::IsEmpty;

std::vector<std::string> findings(const TaskGraph& graph, const logp::Machine& machine,
                                  const Schedule& schedule) {
  std::vector<std::string> result;
  for (const logp::Finding& finding : logp::diagnose(graph, machine, schedule))
    result.push_back(finding.rule + ": " + finding.message);
  return result;
}

/// Everything on processor 0.
Schedule alone(const TaskGraph& graph, const logp::Machine& machine) {
  logp::Allocation allocation{std::vector<std::vector<TaskId>>(machine.processor_count())};
  for (TaskId task : graph.topological_order()) allocation.order[0].push_back(task);
  return logp::time_task_messages(graph, machine, allocation);
}

/// Tasks with one or two earlier ones as inputs; two of three are moldable.
TaskGraph tasks_of(std::uint64_t seed, std::size_t count, bool has_state) {
  Random random(seed);
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < count; ++i) {
    Task task{
        fmt::format_int(i).str(), Time(random.between(100, 900)), !has_state && random.below(2) == 0, {}};
    if (random.below(3) > 0) task.moldable = MoldableProfile{random.unit() / 4, {}};
    builder.add_task(task);
    if (i > 0) builder.add_edge(TaskId(i - 1), TaskId(i), Bytes{10});
    if (i > 2) builder.add_edge(TaskId(i - 3), TaskId(i), Bytes{20});
  }
  return std::move(builder).build();
}

/// All sets of processors that a task can run on.
std::vector<std::vector<ProcessorId>> groups_of(const TaskGraph& graph, TaskId task, std::size_t processors) {
  std::vector<std::vector<ProcessorId>> result;
  for (unsigned set = 1; set < 1U << processors; ++set) {
    std::vector<ProcessorId> group;
    for (std::size_t p = 0; p < processors; ++p)
      if ((set >> p & 1U) != 0) group.emplace_back(p);
    if (group.size() == 1 || graph.task(task).moldable) result.push_back(std::move(group));
  }
  return result;
}

struct Least {
  /// Of the largest loads, and of the stacks in any order of the tasks, over all groups.
  Time load = Time::max(), stack = Time::max();
};

Least least_of_all(const TaskGraph& graph, const logp::Machine& machine) {
  const std::size_t processors = machine.processor_count();
  Least least;
  std::vector<std::vector<std::vector<ProcessorId>>> choices;
  for (TaskId task : graph.tasks()) choices.push_back(groups_of(graph, task, processors));
  std::vector<std::size_t> at(choices.size(), 0);
  for (std::size_t i = 0; i < at.size();) {
    const auto stacked = [&](const std::vector<std::size_t>& order, bool is_together) {
      std::vector<Time> top(processors, Time{0});
      for (std::size_t task : order) {
        const auto& group = choices[task][at[task]];
        Time begin{0};
        for (ProcessorId p : group) begin = std::max(begin, top[p.index()]);
        for (ProcessorId p : group)
          top[p.index()] =
              (is_together ? begin : top[p.index()]) + machine.duration(graph, TaskId(task), group);
      }
      return std::ranges::max(top);
    };
    std::vector<std::size_t> order(at.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    least.load = std::min(least.load, stacked(order, false));
    do least.stack = std::min(least.stack, stacked(order, true));
    while (std::ranges::next_permutation(order).found);
    for (i = 0; i < at.size() && ++at[i] == choices[i].size(); ++i) at[i] = 0;
  }
  return least;
}

TEST(PipelinedGroups, share_a_task_between_the_tasks_before_and_after_it) {
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"a", Time(20)});
  const TaskId b = builder.add_task({"b", Time(100), false, MoldableProfile{0, {}}});
  const TaskId c = builder.add_task({"c", Time(20)});
  builder.add_edge(a, b, Bytes{1});
  builder.add_edge(b, c, Bytes{1});
  const TaskGraph graph = std::move(builder).build();
  const logp::Machine machine = clusters({{2}}, true);
  std::uint64_t budget = 1'000;
  const auto found = search_pipelined_groups(graph, machine, alone(graph, machine), {Time{70}, 1}, budget, 1);
  ASSERT_TRUE(found);
  EXPECT_THAT(findings(graph, machine, *found), IsEmpty());
  // Half of b on either processor, a and c on one each.
  EXPECT_EQ(measure(*found).repetition, Time{70});
  EXPECT_TRUE(runs_in_groups(graph, *found));
  EXPECT_GT(budget, 0U);
}

TEST(PipelinedGroups, reach_the_best_stacks_of_all_groups) {
  std::size_t with_groups = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const TaskGraph graph = tasks_of(seed, 3 + seed % 3, true);
    const logp::Machine machine = clusters({{2 + seed % 2}}, false);
    const Least least = least_of_all(graph, machine);
    const Schedule schedule = find_scheduler("optfo").schedule(graph, machine, {.effort = 20'000});
    EXPECT_THAT(findings(graph, machine, schedule), IsEmpty()) << seed;
    EXPECT_GE(measure(schedule).repetition, least.load) << seed;
    // Two processors have nested groups only. Of three, the search has no group without the middle one.
    if (machine.processor_count() == 2) {
      EXPECT_EQ(measure(schedule).repetition, least.load) << seed;
    } else {
      EXPECT_LE(100 * measure(schedule).repetition, 101 * least.stack) << seed;
    }
    with_groups += runs_in_groups(graph, schedule) && schedule.repetition ? 1 : 0;
  }
  EXPECT_GT(with_groups, 5U);
}

TEST(PipelinedGroups, are_valid_with_frames_clusters_and_redistribution) {
  std::size_t found_count = 0, in_frames = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    for (const logp::Machine& machine : {clusters({{5}}, true), clusters({{3, 1.5}, {4}, {1}}, true)}) {
      const TaskGraph graph = tasks_of(seed, 4 + seed % 8, false);
      const Schedule start = alone(graph, machine);
      std::uint64_t budget = 4'000;
      const auto found = search_pipelined_groups(graph, machine, start, {Time{1}, 8}, budget, seed);
      if (!found) continue;
      ++found_count;
      in_frames += found->replicas > 1 ? 1 : 0;
      EXPECT_THAT(findings(graph, machine, *found), IsEmpty()) << seed;
      EXPECT_LT(measure(*found).exact_period(), measure(start).exact_period()) << seed;
    }
  EXPECT_GT(found_count, 40U);
  EXPECT_GT(in_frames, 5U);
}

}  // namespace
}  // namespace takt::schedulers
