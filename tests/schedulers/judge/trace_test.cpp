#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/graphs/generators.hpp"
#include "schedulers/judge/evaluation.hpp"
#include "schedulers/judge/trace_report.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A scheduler's result on a graph, and its trace.
struct Traced {
  Traced(std::string_view name, const TaskGraph& its_graph, const logp::Machine& machine)
      : scheduler(find_scheduler(name)), graph(its_graph) {
    Options options{.effort = 100};
    options.trace = &trace;
    schedule = scheduler.schedule(graph, machine, options);
  }
  [[nodiscard]] Narration narration() const { return {scheduler, graph, trace, schedule}; }

  const Scheduler& scheduler;
  const TaskGraph& graph;
  Trace trace;
  Schedule schedule;
};

TEST(Trace, of_every_scheduler_places_every_task_and_changes_nothing) {
  const TaskGraph graph = generate("gauss:size=5,cost=3..9,ccr=1");
  const logp::Machine machine = logp::Machine::delay(3);
  for (const Scheduler& scheduler : all_schedulers()) {
    const Traced traced(scheduler.name, graph, machine);
    EXPECT_EQ(traced.schedule, scheduler.schedule(graph, machine, {.effort = 100})) << scheduler.name;
    const json steps = json(trace_json(traced.narration()));
    std::set<std::string> tasks;
    for (const json& step : steps) {
      tasks.insert(step["task"]);
      EXPECT_LE(step["start"], step["end"]) << scheduler.name;
    }
    EXPECT_EQ(tasks.size(), graph.task_count()) << scheduler.name;
  }
}

TEST(Trace, of_list_schedulers_is_the_schedule_under_the_delay_model) {
  const TaskGraph graph = generate("layered:tasks=40,cost=1..9,ccr=1");
  for (const char* name : {"hlfet", "ish", "mcp", "etf", "dls", "last", "heft", "peft", "random"}) {
    const Traced traced(name, graph, logp::Machine::delay(3));
    ASSERT_EQ(traced.trace.size(), graph.task_count()) << name;
    std::map<TaskId, std::pair<ProcessorId, Time>> made;
    for (std::size_t p = 0; p < traced.schedule.processors.size(); ++p)
      for (const Operation& operation : traced.schedule.processors[p])
        if (operation.kind == OperationKind::compute)
          made[operation.task()] = {ProcessorId(p), operation.start};
    for (const Step& step : traced.trace) {
      const auto& [processor, start] = made.at(step.task);
      EXPECT_EQ(step.processor, processor) << name;
      // The engine does not start processors earlier than needed.
      EXPECT_LE(step.start, start) << name;
    }
  }
}

TEST(Decisions, of_list_schedulers_place_each_task_once_after_its_parents_where_the_trace_has_it) {
  const TaskGraph graph = generate("layered:tasks=40,cost=1..9,ccr=1");
  for (const char* name : {"hlfet", "ish", "mcp", "etf", "dls", "last", "heft", "peft", "random"}) {
    const Traced traced(name, graph, logp::Machine::delay(3));
    const Decisions decisions = decisions_of(traced.trace);
    ASSERT_EQ(decisions.size(), graph.task_count()) << name;
    std::set<TaskId> placed;
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      const Decision& decision = decisions[i];
      for (const EdgeId edge : graph.in_edges(decision.task))
        EXPECT_TRUE(placed.contains(graph.edge(edge).from)) << name;
      EXPECT_TRUE(placed.insert(decision.task).second) << name;
      EXPECT_EQ(decision.place, traced.trace[i].processor.index()) << name;
      EXPECT_EQ(decision.end - decision.start, graph.task(decision.task).work) << name;
      EXPECT_FALSE(decision.is_cluster) << name;
      EXPECT_FALSE(decision.reason.empty()) << name;
    }
  }
}

// By hand: a (2) precedes b (3) and c (4) over edges of 5 and 1; static levels 6, 3, 4. HLFET places a on
// processor 0 from 0 to 2, then c: there from 2, elsewhere from 3; then b: after c from 6, elsewhere from 7.
TEST(Trace, lists_the_ready_tasks_and_the_compared_starts) {
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"a", Time{2}}), b = builder.add_task({"b", Time{3}}),
               c = builder.add_task({"c", Time{4}});
  builder.add_edge(a, b, Bytes{5});
  builder.add_edge(a, c, Bytes{1});
  const TaskGraph graph = std::move(builder).build();
  const Traced traced("hlfet", graph, logp::Machine::delay(2));
  EXPECT_THAT(trace_to_text(traced.narration()), StartsWith("hlfet: "));
  EXPECT_THAT(trace_to_text(traced.narration()),
              HasSubstr("step  task  processor  start  end  reason          starts considered  also ready\n"
                        "   1  a             0      0    2  static level 6  P0 0, P1 0\n"
                        "   2  c             0      2    6  static level 4  P0 2, P1 3         b\n"
                        "   3  b             0      6    9  static level 3  P0 6, P1 7\n"));
  EXPECT_EQ(json(trace_json(traced.narration()))[1], json::parse(R"(
    {"task": "c", "processor": 0, "start": 2, "end": 6, "reason": "static level 4",
     "considered": [{"processor": 0, "start": 2}, {"processor": 1, "start": 3}],
     "also_ready": ["b"], "also_ready_count": 1})"));
}

TEST(Trace, lists_the_alternatives_of_each_step) {
  const TaskGraph graph = generate("layered:tasks=40,cost=1..9,ccr=1");
  const logp::Machine machine = logp::parse_machine("delay:P=4,network=ring:4");
  for (const char* name : {"hlfet", "ish", "mcp", "etf", "dls", "last", "heft", "peft", "ca_list", "mh",
                           "dls_apn", "dsc", "md", "dcp", "exact_makespan"}) {
    const Traced traced(name, graph, machine);
    std::size_t choices = 0;
    for (const Step& step : traced.trace) {
      // Clusters are mapped to processors as a whole.
      if (traced.scheduler.family == "clustering" && step.place == Place::processor) continue;
      EXPECT_THAT(step.considered, ::testing::Contains(::testing::Field(&Slot::processor, step.processor)))
          << name << ", " << graph.task(step.task).name;
      if (step.considered.size() > 1) ++choices;
    }
    EXPECT_GT(choices, graph.task_count() / 2) << name;
  }
}

// Worked by hand: a (2) precedes b (3) over an edge of 5. ETF starts b on a's processor at 2, elsewhere at 7;
// b joins a in DSC's cluster 0, while a new one, 1, would start it at 7.
TEST(Trace, names_the_compared_processors_and_starts) {
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"a", Time{2}}), b = builder.add_task({"b", Time{3}});
  builder.add_edge(a, b, Bytes{5});
  const TaskGraph graph = std::move(builder).build();
  EXPECT_THAT(trace_to_text(Traced("etf", graph, logp::Machine::delay(2)).narration()),
              HasSubstr("P0 2, P1 7"));
  EXPECT_THAT(trace_to_text(Traced("dsc", graph, logp::Machine::delay(2)).narration()),
              HasSubstr("C1 7, C0 2"));
  EXPECT_EQ(json(trace_json(Traced("dcp", graph, logp::Machine::delay(2)).narration()))[1]["considered"],
            json::parse(R"([{"cluster": 0, "start": 2}, {"cluster": 1, "start": 7}])"));
}

TEST(Trace, of_bsa_lists_the_moves_of_tasks) {
  // A source of work 1 with two children of work 10 over edges of 3: one stays, the other one moves.
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"a", Time{1}}), b = builder.add_task({"b", Time{10}}),
               c = builder.add_task({"c", Time{10}});
  builder.add_edge(a, b, Bytes{3});
  builder.add_edge(a, c, Bytes{3});
  const TaskGraph graph = std::move(builder).build();
  const logp::Machine line = logp::parse_machine("delay:P=3,network=mesh:1x3");
  const Traced traced("bsa", graph, line);
  const json steps = json(trace_json(traced.narration()));
  EXPECT_EQ(steps[4]["reason"], "turn of processor 1: stays there");
  EXPECT_EQ(steps[5]["reason"], "turn of processor 1: leaves it for processor 0");
  EXPECT_THAT(trace_to_text(traced.narration()), HasSubstr("P0 4 (14),"));
}

TEST(Trace, of_clustering_lists_clusters_and_their_processors) {
  const TaskGraph graph = generate("fft:depth=2");
  const Traced enough("dcp", graph, logp::Machine::delay(12));
  EXPECT_THAT(trace_to_text(enough.narration()), HasSubstr("step  task  cluster  start"));
  const Traced merged("dcp", graph, logp::Machine::delay(2));
  EXPECT_THAT(trace_to_text(merged.narration()), HasSubstr("step  task  place  start"));
  const json steps = json(trace_json(merged.narration()));
  ASSERT_EQ(steps.size(), 2 * graph.task_count());
  for (std::size_t i = 0; i < steps.size(); ++i)
    EXPECT_EQ(steps[i].contains("cluster"), i < graph.task_count()) << "step " << i;
}

// Three independent tasks of 4, 3 and 2, each its own cluster, on two processors. By load 4 goes to the first
// one, 3 and 2 to the second: 5. By start (and work, which is the same here) 4 and 3 go to idle processors
// first, then 2 where 3 ends: the same length, so the first method is kept.
TEST(Trace, names_the_chosen_merging_and_the_reason_for_each_cluster) {
  TaskGraphBuilder builder;
  for (const auto& [name, work] : {std::pair{"a", 4}, std::pair{"b", 3}, std::pair{"c", 2}})
    builder.add_task({name, Time{work}});
  const TaskGraph graph = std::move(builder).build();
  const Traced traced("lc", graph, logp::Machine::delay(2));
  const json steps = json(trace_json(traced.narration()));
  EXPECT_EQ(steps[3]["reason"],
            "merged by start and work: a cluster of work 4 comes here; lengths by start and work 5, start 5, "
            "load 5");
  EXPECT_EQ(steps[5]["reason"], "a cluster of work 2 comes here");
  EXPECT_THAT(trace_to_text(traced.narration()), HasSubstr("P0 4 (4),"));
}

TEST(Trace, lists_the_compared_values_of_each_choice) {
  const TaskGraph graph = generate("layered:tasks=40,cost=1..9,ccr=1");
  const logp::Machine machine = logp::parse_machine("delay:P=4,network=ring:4,speed=1/2/1/3");
  for (const auto& [name, compared, sign] : {std::tuple{"heft", "end", 1},
                                             {"peft", "end + optimistic cost", 1},
                                             {"ca_list", "end", 1},
                                             {"mh", "end", 1},
                                             {"dls_apn", "dynamic level", -1}}) {
    std::size_t choices = 0;
    for (const Step& step : Traced(name, graph, machine).trace) {
      if (step.values.empty()) continue;
      ++choices;
      EXPECT_EQ(step.compared, compared);
      ASSERT_EQ(step.values.size(), step.considered.size()) << name;
      // The first of the best.
      std::size_t best = 0;
      for (std::size_t i = 1; i < step.values.size(); ++i)
        if (sign * step.values[i] < sign * step.values[best]) best = i;
      EXPECT_EQ(step.considered[best].processor, step.processor) << name;
      EXPECT_EQ(step.considered[best].start, step.start) << name;
    }
    EXPECT_EQ(choices, graph.task_count()) << name;
  }
}

// HLFET ignores overheads of several messages, which `logp:` has.
TEST(Trace, shows_the_times_of_the_schedule_next_to_the_assumed_ones) {
  const TaskGraph graph = generate("receive_tree:depth=3,cost=1..9,data=5");
  const Traced traced("hlfet", graph, logp::parse_machine("logp:P=4,L=1,o=2,g=3"));
  const json steps = json(trace_json(traced.narration()));
  ASSERT_EQ(steps.size(), graph.task_count());
  for (std::size_t p = 0; p < traced.schedule.processors.size(); ++p)
    for (const Operation& operation : traced.schedule.processors[p]) {
      if (operation.kind != OperationKind::compute) continue;
      const auto told = [&](const json& step) { return step["task"] == graph.task(operation.task()).name; };
      const auto step = std::ranges::find_if(steps, told);
      ASSERT_NE(step, steps.end());
      EXPECT_EQ((*step)["scheduled"], (json{{"processor", p}, {"start", operation.start.count()}}));
    }
}

TEST(Trace, of_other_algorithms_is_the_schedule_in_order_of_time) {
  const TaskGraph graph = generate("fft:depth=2");
  const Traced traced("brent", graph, logp::Machine::delay(2));
  EXPECT_THAT(trace_to_text(traced.narration()), HasSubstr("this is its schedule in order of\ntime"));
  const json steps = json(trace_json(traced.narration()));
  ASSERT_EQ(steps.size(), graph.task_count());
  for (std::size_t i = 1; i < steps.size(); ++i) EXPECT_LE(steps[i - 1]["start"], steps[i]["start"]);
  EXPECT_FALSE(steps[0].contains("reason"));
}

TEST(Trace, shortens_long_lists) {
  const TaskGraph graph = generate("fork_join:depth=1,width=30");
  const std::string text = trace_to_text(Traced("hlfet", graph, logp::Machine::delay(9)).narration());
  EXPECT_THAT(text, HasSubstr("P5 2 +3\n")) << "six of nine processors";
  EXPECT_THAT(text, HasSubstr("  2 3 4 5 6 7 8 9\n            +21\n")) << "eight of the 29 other tasks";
}

}  // namespace
}  // namespace takt::schedulers
