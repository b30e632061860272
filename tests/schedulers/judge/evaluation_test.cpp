#include "schedulers/judge/evaluation.hpp"

#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/graphs/generators.hpp"
#include "logp/timing.hpp"
#include "schedulers/judge/evaluation_report.hpp"
#include "schedulers/judge/figure_columns.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const logp::Machine machine = logp::parse_machine("logp:P=3,L=1,o=1,g=1");

/// Both copies of a single task, one on each of two processors.
Schedule two_replicas() {
  Schedule schedule("hand", 2);
  schedule.replicas = 2;
  schedule.add_compute(ProcessorId(0), TaskId(0), Time{0}, Time{5}, 0);
  schedule.add_compute(ProcessorId(1), TaskId(0), Time{0}, Time{5}, 1);
  return schedule;
}

// Table 6.23, k = 1: period 8. One processor would take 7 tasks of 2 ticks = 14; the makespan is 14 too.
TEST(Evaluation, measures_and_judges_a_schedulers_result) {
  const TaskGraph graph = generate("send_tree:depth=2,cost=2");
  const Evaluation evaluation = evaluate(find_scheduler("greedy"), graph, machine);
  const Figures& figures = evaluation.figures;
  EXPECT_EQ(figures.scheduler, "greedy");
  EXPECT_TRUE(figures.valid);
  EXPECT_EQ(figures.processors_used, 3U);
  EXPECT_EQ(figures.period(), 8);
  EXPECT_DOUBLE_EQ(figures.frequency(), 0.125);
  EXPECT_EQ(figures.makespan, Time{14});
  EXPECT_EQ(figures.sequential, Time{14});
  EXPECT_DOUBLE_EQ(figures.speed_up(), 1);
  EXPECT_DOUBLE_EQ(figures.efficiency(), 1.0 / 3);
  EXPECT_LE(figures.lower_bound(), 8);
  EXPECT_DOUBLE_EQ(figures.ratio(), 8 / figures.lower_bound());
}

TEST(Evaluation, counts_frames_of_replicated_schedules) {
  const TaskGraph graph = generate("chain:depth=0,cost=5,stateless=1");
  const Evaluation evaluation = judge(graph, logp::Machine::delay(2), two_replicas());
  EXPECT_TRUE(evaluation.figures.valid);
  EXPECT_DOUBLE_EQ(evaluation.figures.period(), 2.5);
  EXPECT_DOUBLE_EQ(evaluation.figures.speed_up(), 2);
  EXPECT_THAT(to_json(evaluation, graph), HasSubstr("\"period\": 2.5,"));
}

TEST(Evaluation, keeps_the_findings_of_a_wrong_schedule) {
  const TaskGraph graph = generate("chain:depth=1");
  const Evaluation evaluation = judge(graph, machine, Schedule("nothing", 3));
  EXPECT_FALSE(evaluation.figures.valid);
  EXPECT_FALSE(evaluation.figures.optimal);
  EXPECT_EQ(evaluation.findings.size(), 2U);
  EXPECT_THAT(verdict_to_text(evaluation), HasSubstr("not valid: 2 findings\n  task-once: "));
}

/// Piece by piece as in one step.
TEST(Evaluation, is_written_with_long_lists_like_short_ones) {
  TaskGraphBuilder builder;
  const TaskId strange = builder.add_task({.name = "\"a\\\xff\nb\"", .work = Time{3}});
  for (int i = 0; i < 9; ++i)
    builder.add_edge(strange, builder.add_task({.name = std::string(10 * i, 'x') + "y", .work = Time{4}}),
                     Bytes{7});
  const auto expect_same = [](const TaskGraph& graph, const Evaluation& evaluation, std::string_view what) {
    std::ostringstream out;
    write_with_lists(out, evaluation_json_without_lists(evaluation), evaluation, graph);
    EXPECT_EQ(out.str(), to_json(evaluation, graph)) << what;
  };
  const TaskGraph odd = std::move(builder).build();
  expect_same(odd, evaluate(find_scheduler("greedy"), odd, machine), "odd names");
  for (const char* text : {"chain:depth=0", "chain:depth=2", "receive_tree:depth=5,cost=1..9,data=1..9",
                           "layered:tasks=300,cost=1..9,data=1..9"})
    for (const char* scheduler : {"single", "greedy", "basic_fo", "heft"}) {
      const TaskGraph graph = generate(text);
      expect_same(graph, evaluate(find_scheduler(scheduler), graph, machine), text);
    }
  // Longer than the part that two threads write at a time.
  const TaskGraph large = generate("wave:width=200,depth=180,cost=1..9,data=1..9");
  expect_same(large, evaluate(find_scheduler("hlfet"), large, machine), "large");
  const TaskGraph stateless = generate("chain:depth=0,cost=5,stateless=1");
  expect_same(stateless, judge(stateless, logp::Machine::delay(2), two_replicas()), "replicas");
  const TaskGraph chain = generate("chain:depth=1");
  expect_same(chain, judge(chain, machine, Schedule("nothing", 3)), "nothing done");
}

/// More than a hundred thousand messages, which two threads judge.
TEST(Evaluation, has_the_same_findings_in_long_schedules_as_in_short_ones) {
  const logp::Machine two = logp::parse_machine("logp:P=2,L=1,o=1,g=2");
  const auto findings = [&](std::size_t tasks) {
    const TaskGraph chain = generate(fmt::format("chain:depth={},cost=3", tasks - 1));
    // From one processor to the other one and back.
    logp::Allocation allocation{std::vector<std::vector<TaskId>>(2)};
    for (TaskId task : chain.tasks()) allocation.order[task.index() % 2].push_back(task);
    Schedule schedule = logp::time_task_messages(chain, two, allocation);
    EXPECT_THAT(judge(chain, two, schedule).findings, IsEmpty());
    // The last but one task begins before its datum is received, and the last receive is too short.
    auto& first = schedule.processors[tasks % 2];
    for (Operation& operation : first)
      if (operation.kind == OperationKind::compute && operation.subject == tasks - 2)
        operation.start -= Time{9};
    for (Operation& operation : schedule.processors[(tasks + 1) % 2])
      if (operation.kind == OperationKind::receive && operation.subject == tasks - 2)
        operation.end -= Time{1};
    std::vector<std::string> rules;
    for (const logp::Finding& finding : judge(chain, two, std::move(schedule)).findings)
      rules.push_back(finding.rule);
    return rules;
  };
  const std::vector<std::string> few = findings(10);
  EXPECT_THAT(few, ::testing::IsSupersetOf({"duration", "edge", "overlap"}));
  EXPECT_EQ(findings(100'010), few);
}

TEST(Evaluation, supports_an_empty_graph) {
  const Evaluation evaluation = judge(TaskGraph(), machine, Schedule("nothing", 3));
  EXPECT_TRUE(evaluation.figures.valid);
  EXPECT_EQ(evaluation.figures.frequency(), 0);
  EXPECT_EQ(evaluation.figures.ratio(), 1);
  EXPECT_TRUE(nlohmann::json::accept(to_json(evaluation, TaskGraph())));
  EXPECT_THAT(to_text(evaluation, TaskGraph()), StartsWith("nothing on 0 processors: period 0"));
}

TEST(Evaluation, uses_the_fastest_processor_for_the_sequential_time) {
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"a"}), b = builder.add_task({"b"});
  builder.set_work_table(a, {Time{9}, Time{2}});
  builder.set_work_table(b, {Time{1}, Time{3}});
  const TaskGraph table = std::move(builder).build();
  EXPECT_EQ(judge(table, logp::Machine::delay(2), Schedule("x", 2)).figures.sequential, Time{5});
  const logp::Machine uneven = logp::parse_machine("delay:P=2,speed=1/2");
  EXPECT_EQ(judge(generate("chain:depth=2,cost=4"), uneven, Schedule("x", 2)).figures.sequential, Time{6});
}

TEST(Evaluation, refuses_a_graph_without_times_of_some_processors) {
  TaskGraphBuilder builder;
  builder.set_work_table(builder.add_task({"a"}), {Time{9}, Time{2}});
  const TaskGraph table = std::move(builder).build();
  EXPECT_THROW((void)evaluate(find_scheduler("heft"), table, logp::Machine::delay(3)), ConfigError);
  EXPECT_TRUE(evaluate(find_scheduler("heft"), table, logp::Machine::delay(1)).figures.valid);
}

TEST(Evaluation, writes_json_with_arbitrary_names) {
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"say \"hi\"\n", Time{1}}), b = builder.add_task({"\xff\\", Time{1}});
  builder.add_edge(a, b, Bytes{1});
  const TaskGraph graph = std::move(builder).build();
  const auto json = nlohmann::json::parse(to_json(evaluate(find_scheduler("brent"), graph, machine), graph));
  EXPECT_EQ(json["tasks"][0]["name"], "say \"hi\"\n");
}

TEST(Ratio, is_written_as_1_only_if_it_is_1) {
  EXPECT_EQ(to_text(Ratio{1}, Digits::few), "1");
  EXPECT_EQ(to_text(Ratio{60832.0 / 60824}, Digits::few), "1.0001");
  EXPECT_EQ(to_text(Ratio{1 + 1e-9}, Digits::few), "1.000000001");
  EXPECT_EQ(to_text(Ratio{1.25}, Digits::few), "1.25");
  EXPECT_EQ(to_text(Ratio{4.0 / 3}, Digits::few), "1.333");
}

}  // namespace
}  // namespace takt::schedulers
