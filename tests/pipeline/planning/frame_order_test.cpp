/// Tests that a rank finishes a frame before the next one, unless that makes the plan slower.

#include "pipeline/planning/frame_order.hpp"

#include <array>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace takt::pipeline {
namespace {

using ::testing::ElementsAre;

/// Returns a chain of a, b and c, 10 ticks each; c has state.
TaskGraph chain() {
  TaskGraphBuilder builder;
  (void)builder.add_task({"a", Time{10}, true});
  (void)builder.add_task({"b", Time{10}, true});
  (void)builder.add_task({"c", Time{10}, false});
  builder.add_edge(TaskId(0), TaskId(1), Bytes{1});
  builder.add_edge(TaskId(1), TaskId(2), Bytes{1});
  return std::move(builder).build();
}

/// Returns a plan of `a1 b0`: on one processor, one after another.
schedulers::Plan plan_of(const TaskGraph& graph, const logp::Machine& machine,
                         const std::vector<std::string>& steps) {
  Schedule schedule("by hand", machine.processor_count());
  schedule.replicas = 2;
  Time at{0};
  for (const std::string& step : steps) {
    schedule.add_compute(ProcessorId(0), TaskId(step[0] - 'a'), at, at + Time{10},
                         static_cast<std::uint32_t>(step[1] - '0'));
    at += Time{10};
  }
  return schedulers::plan_of(graph, machine, {}, std::move(schedule));
}

std::vector<std::string> steps_of(const schedulers::Plan& plan) {
  std::vector<std::string> steps;
  for (const Operation& operation : plan.evaluation.schedule.processors[0])
    steps.push_back(
        {static_cast<char>('a' + operation.subject), static_cast<char>('0' + operation.instance)});
  return steps;
}

TEST(FrameOrder, finishes_a_frame_before_the_next_one) {
  const TaskGraph graph = chain();
  const logp::Machine machine = logp::parse_machine("logp:P=1,L=1,o=1,g=1");
  const auto mixed = plan_of(graph, machine, {"a0", "a1", "b1", "b0", "c0", "c1"});
  ASSERT_TRUE(mixed.evaluation.findings.empty());
  const auto ordered = in_order_of_frames(graph, machine, {}, mixed, {});
  ASSERT_TRUE(ordered);
  EXPECT_THAT(steps_of(*ordered), ElementsAre("a0", "b0", "c0", "a1", "b1", "c1"));
  EXPECT_EQ(ordered->prediction.period, mixed.prediction.period);
  EXPECT_EQ(ordered->evaluation.schedule.scheduler, "by hand");
  EXPECT_FALSE(in_order_of_frames(graph, machine, {}, *ordered, {})) << "it is in order";
  // c must process frame 0 first.
  const auto later_first = in_order_of_frames(
      graph, machine, {}, plan_of(graph, machine, {"a1", "a0", "b0", "b1", "c0", "c1"}), {});
  ASSERT_TRUE(later_first);
  EXPECT_THAT(steps_of(*later_first), ElementsAre("a1", "b1", "a0", "b0", "c0", "c1"));
}

TEST(FrameOrder, keeps_the_rate_and_the_latency_of_a_plan) {
  const TaskGraph graph = chain();
  const logp::Machine machine = logp::parse_machine("logp:P=1,L=1,o=1,g=1");
  const schedulers::Goal goal{.objective = schedulers::Objective::latency,
                              .rate = schedulers::RequiredRate{40}};
  auto mixed = plan_of(graph, machine, {"a0", "a1", "b1", "b0", "c0", "c1"});
  mixed = schedulers::plan_of(graph, machine, goal, std::move(mixed.evaluation.schedule));
  mixed.objective = goal.objective;
  ASSERT_TRUE(mixed.holds_rate);
  const auto ordered = in_order_of_frames(graph, machine, goal, mixed, {});
  ASSERT_TRUE(ordered);
  EXPECT_TRUE(ordered->holds_rate);
  EXPECT_LT(ordered->evaluation.metrics.latency, mixed.evaluation.metrics.latency);
  // One with far less latency than any other order.
  schedulers::Plan faster = mixed;
  faster.evaluation.metrics.latency = Time{10};
  EXPECT_FALSE(in_order_of_frames(graph, machine, goal, faster, {}));
  faster.objective = schedulers::Objective::frequency;
  EXPECT_TRUE(in_order_of_frames(graph, machine, goal, faster, {}));
}

/// a, whose output c on another processor reads, and b: with tiles of one frame, b precedes the send.
TEST(FrameOrder, sends_after_tasks_that_read_the_same_tiles) {
  TaskGraphBuilder builder;
  for (const char* name : {"a", "b", "c"}) (void)builder.add_task({name, Time{10}, true});
  builder.add_edge(TaskId(0), TaskId(1), Bytes{1});
  builder.add_edge(TaskId(0), TaskId(2), Bytes{1});
  const TaskGraph graph = std::move(builder).build();
  const logp::Machine machine = logp::parse_machine("logp:P=2,L=1,o=1,g=1");
  Schedule schedule("by hand", 2);
  schedule.add_compute(ProcessorId(0), TaskId(0), Time{0}, Time{10});
  const MessageId message =
      schedule.add_message(ProcessorId(0), ProcessorId(1), Bytes{1}, std::array{DatumId(1)});
  schedule.add_send(ProcessorId(0), message, Time{10}, Time{11});
  schedule.add_compute(ProcessorId(0), TaskId(1), Time{11}, Time{21});
  schedule.add_receive(ProcessorId(1), message, Time{12}, Time{13});
  schedule.add_compute(ProcessorId(1), TaskId(2), Time{13}, Time{23});
  const schedulers::Plan plan = schedulers::plan_of(graph, machine, {}, std::move(schedule));
  ASSERT_TRUE(plan.evaluation.findings.empty()) << plan.evaluation.findings.front().message;
  EXPECT_FALSE(in_order_of_frames(graph, machine, {}, plan, Tiling(3))) << "there are no tiles";

  Tiling tiling(3);
  tiling[0] = tiling[1] = tiling[2] = StageTiles{};
  const auto ordered = in_order_of_frames(graph, machine, {}, plan, tiling);
  ASSERT_TRUE(ordered);
  const std::vector<Operation>& first = ordered->evaluation.schedule.processors[0];
  EXPECT_EQ(first[1].kind, OperationKind::compute);
  EXPECT_EQ(first[2].kind, OperationKind::send);
  EXPECT_EQ(ordered->prediction.period, plan.prediction.period);
}

/// Returns eight tasks of 20 to 100 ticks, some with state; each needs some of the earlier ones.
TaskGraph random_graph(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned end) { return random() % end; };
  TaskGraphBuilder builder;
  for (unsigned i = 0; i < 8; ++i) {
    const TaskId task = builder.add_task({std::to_string(i), Time{20 + below(81)}, below(3) > 0});
    for (unsigned before = 0; before < i; ++before)
      if (below(3) == 0) builder.add_edge(TaskId(before), task, Bytes{1});
  }
  return std::move(builder).build();
}

/// Plans of random graphs by a scheduler: reordered plans are valid and as fast.
TEST(FrameOrder, keeps_plans_valid_and_as_fast) {
  std::size_t changed = 0;
  const logp::Machine machine = logp::parse_machine("logp:P=3,L=20,o=5,g=5");
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const TaskGraph graph = random_graph(seed);
    const schedulers::Plan plan = schedulers::make_plan(graph, machine, {.options = {.effort = 500}});
    const auto ordered = in_order_of_frames(graph, machine, {}, plan, {});
    if (!ordered) continue;
    ++changed;
    EXPECT_TRUE(ordered->evaluation.findings.empty()) << seed;
    EXPECT_LE(ordered->prediction.period, plan.prediction.period * (1 + 1e-9)) << seed;
    EXPECT_EQ(ordered->evaluation.schedule.replicas, plan.evaluation.schedule.replicas);
    EXPECT_EQ(ordered->evaluation.schedule.messages, plan.evaluation.schedule.messages);
  }
  EXPECT_GT(changed, 0U);
}

}  // namespace
}  // namespace takt::pipeline
