#include "core/formats/schedule_yaml.hpp"

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/formats/yaml_parser.hpp"
#include "tests/core/graphs/random_graph.hpp"

namespace takt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

constexpr const char* machine = "processors: 3\ncosts:\n  all:\n    latency: 1 + 0.5\n";

/// Throws ConfigError with every error.
ScheduledGraph read(const std::string& text) {
  ErrorList errors;
  const YamlTree tree = parse_yaml(text, "s", errors);
  std::optional<ScheduledGraph> result = read_schedule(tree.root(), errors);
  errors.throw_if_any();
  return std::move(result).value();
}

/// Returns any value of the data type, not necessarily a correct schedule.
Schedule random_schedule(const TaskGraph& graph, Random& random) {
  const std::size_t processors = random.below(5);
  Schedule schedule("some scheduler", processors);
  if (processors == 0) return schedule;
  schedule.replicas = 1 + static_cast<std::uint32_t>(random.below(3));
  if (random.below(2) == 0) schedule.least_repetition = Time(random.between(0, 99));
  if (random.below(2) == 0) schedule.repetition = Time(random.between(1, 99));
  if (random.below(2) == 0)
    schedule.period_bound =
        Period{Time(random.between(0, 99)), 1 + static_cast<std::uint32_t>(random.below(3))};
  if (schedule.period_bound && random.below(2) == 0) schedule.period_bound_among = "some schedules";
  schedule.optimal = random.below(2) == 0;
  for (const TaskId task : graph.tasks())
    if (random.below(4) == 0) schedule.whole_frames.push_back(task);
  if (random.below(2) == 0) schedule.makespan_bound = Time(random.between(0, 99));
  const auto processor = [&] { return ProcessorId(random.below(processors)); };
  const auto time = [&] { return Time(random.between(-5, 1'000'000'000'000)); };
  for (std::uint64_t i = random.below(4); i > 0; --i) {
    std::vector<DatumId> payload;
    for (DatumId datum : ids<DatumId>(graph.datum_count()))
      if (random.below(3) == 0) payload.push_back(datum);
    const MessageId id = schedule.add_message(processor(), processor(), Bytes{random.below(99)}, payload);
    if (random.below(2) == 0) continue;
    Message& message = schedule.messages[id.index()];
    message.first_hop = static_cast<std::uint32_t>(schedule.hops.size());
    message.hop_count = 1 + static_cast<std::uint32_t>(random.below(3));
    for (std::uint32_t k = 0; k < message.hop_count; ++k)
      schedule.hops.push_back({LinkId(random.below(9)), time(), time()});
  }
  for (std::uint64_t i = random.below(20); i > 0; --i) {
    const auto instance = static_cast<std::uint32_t>(random.below(schedule.replicas));
    if (graph.task_count() > 0 && random.below(2) == 0) {
      schedule.add_compute(processor(), TaskId(random.below(graph.task_count())), time(), time(), instance);
    } else if (!schedule.messages.empty()) {
      const MessageId message(random.below(schedule.messages.size()));
      if (random.below(2) == 0)
        schedule.add_send(processor(), message, time(), time(), instance);
      else
        schedule.add_receive(processor(), message, time(), time(), instance);
    }
  }
  return schedule;
}

Decisions random_decisions(const Schedule& schedule, const TaskGraph& graph, Random& random) {
  Decisions decisions;
  if (graph.task_count() == 0 || schedule.processors.empty()) return decisions;
  constexpr const char* reasons[] = {"", "b-level 3", "edge of \"a: b\" {zeroed}, # 7", "null"};
  for (std::uint64_t i = random.below(6); i > 0; --i) {
    Decision& decision = decisions.emplace_back(Decision{.task = TaskId(random.below(graph.task_count()))});
    decision.is_cluster = random.below(2) == 0;
    decision.place = static_cast<std::uint32_t>(
        random.below(decision.is_cluster ? 1'000'000 : schedule.processors.size()));
    decision.start = Time(random.between(-9, 99));
    decision.end = Time(random.between(-9, 99));
    decision.reason = reasons[random.below(std::size(reasons))];
  }
  return decisions;
}

TEST(ScheduleYaml, keeps_schedule_decisions_graph_and_machine) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed, 9);
    const TaskGraph graph = random_graph(seed);
    const Schedule schedule = random_schedule(graph, random);
    const Decisions decisions = random_decisions(schedule, graph, random);
    const std::string text = schedule_to_yaml(schedule, graph, machine, decisions);
    const ScheduledGraph back = read(text);
    EXPECT_EQ(back.schedule, schedule) << "seed " << seed << "\n" << text;
    EXPECT_EQ(back.graph, graph) << "seed " << seed;
    EXPECT_EQ(back.decisions, decisions) << "seed " << seed;
    EXPECT_EQ(schedule_to_yaml(back.schedule, back.graph, machine, back.decisions), text)
        << "the text is stable";
  }
}

TEST(ScheduleYaml, is_readable) {
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"a", Time{4}}), b = builder.add_task({"b", Time{2}});
  builder.add_edge(a, b, Bytes{3});
  const DatumId second = builder.add_datum(a, Bytes{5});
  builder.add_edge(second, b);
  const TaskGraph graph = std::move(builder).build();
  Schedule schedule("greedy", 3);
  const MessageId message =
      schedule.add_message(ProcessorId(0), ProcessorId(2), Bytes{8}, std::array{DatumId(0), second});
  schedule.add_compute(ProcessorId(0), a, Time{0}, Time{4});
  schedule.add_send(ProcessorId(0), message, Time{4}, Time{5});
  schedule.add_receive(ProcessorId(2), message, Time{6}, Time{7});
  schedule.add_compute(ProcessorId(2), b, Time{7}, Time{9});
  EXPECT_EQ(schedule_to_yaml(schedule, graph, "processors: 3\n"), R"(scheduler: greedy
replicas: 1
processors:
  0:
    - {compute: a, start: 0, end: 4}
    - {send: 0, start: 4, end: 5}
  1: []
  2:
    - {receive: 0, start: 6, end: 7}
    - {compute: b, start: 7, end: 9}
messages:
  - {from: 0, to: 2, size: 8, data: [[a, 0], [a, 1]]}
machine:
  processors: 3
graph:
  tasks:
    - {name: a, work: 4}
    - {name: b, work: 2}
  edges:
    - {from: a, to: b, size: 3}
    - {from: a, to: b, size: 5}
)");
}

TEST(ScheduleYaml, keeps_stream_requirements) {
  const TaskGraph graph = random_graph(1);
  const Schedule schedule("streams", 1);
  const std::vector<StreamRequirement> asked{{"sky: a", 200, 1}, {"sun", 1.0 / 3, 1.25}};
  const std::string text = schedule_to_yaml(schedule, graph, machine, {}, asked);
  EXPECT_EQ(read(text).requirements, asked) << text;
  for (const auto& [line, says] :
       {std::pair{"{name: a, required_period: 0}", "expected a number of ticks above 0"},
        {"{name: a, required_period: inf}", "expected a number of ticks above 0"},
        {"{name: a, required_period: 5, margin: 0.5}", "expected a number of at least 1"},
        {"{name: a, required_periods: 5}", "did you mean 'required_period'"},
        {"{required_period: 5}", "name"}}) {
    ErrorList errors;
    const YamlTree tree =
        parse_yaml(std::string("streams:\n  - ") + line + "\n" + schedule_to_yaml(schedule, graph, machine),
                   "s.yaml", errors);
    (void)read_schedule(tree.root(), errors);
    try {
      errors.throw_if_any();
      ADD_FAILURE() << line;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << line << "\n" << error.what();
      EXPECT_NE(std::string(error.what()).find("s.yaml:2:"), std::string::npos) << error.what();
    }
  }
}

TEST(ScheduleYaml, refuses_dangling_references) {
  const std::string head = "scheduler: x\nprocessors:\n  0:\n    - ",
                    graph = "\nmachine: {}\ngraph: {tasks: [{name: a, work: 1}]}\n";
  const auto expect_error = [](const std::string& text, const std::string& error) {
    EXPECT_THAT([&] { (void)read(text); }, ThrowsMessage<ConfigError>(StartsWith(error))) << text;
  };
  EXPECT_NO_THROW((void)read(head + "{compute: a, start: 0, end: 1}" + graph));
  expect_error("", "s: expected a schedule as a mapping");
  expect_error("scheduler: x\nprocessors: {}\nmachine: {}\n", "s:1:1: a schedule needs a 'graph'");
  expect_error("schedular: x" + graph,
               "s:1:1: unknown key of a schedule 'schedular'; did you mean 'scheduler'?");
  expect_error(head + "{compute: b, start: 0, end: 1}" + graph, "s:4:17: unknown task 'b'");
  expect_error(head + "{send: 0, start: 0, end: 1}" + graph,
               "s:4:14: '0' is not a valid message: none exists");
  expect_error(head + "{start: 0, end: 1}" + graph,
               "s:4:7: expected exactly one of 'compute', 'send' and 'receive'");
  expect_error(head + "{compute: a, start: 0}" + graph, "s:4:7: an operation needs a 'end'");
  expect_error(head + "{compute: a, start: x, end: 1}" + graph, "s:4:27: 'x' is not a valid start");
  expect_error(head + "{compute: a, start: 0, end: 1, instance: 1}" + graph,
               "s:4:48: '1' is not a valid instance");
  const std::string decided = head + "{compute: a, start: 0, end: 1}\ndecisions:\n  - ";
  EXPECT_NO_THROW((void)read(decided + "{task: a, cluster: 9, start: 0, end: 1}" + graph));
  expect_error(decided + "{task: a, processor: 1, start: 0, end: 1}" + graph,
               "s:6:26: '1' is not a valid processor");
  expect_error(decided + "{task: b, processor: 0, start: 0, end: 1}" + graph, "s:6:12: unknown task 'b'");
  expect_error(decided + "{task: a, start: 0, end: 1}" + graph,
               "s:6:5: expected exactly one of 'processor' and 'cluster'");
  expect_error(decided + "{task: a, cluster: 0, start: 0, end: 1, reasons: x}" + graph,
               "s:6:45: unknown key of a decision 'reasons'; did you mean 'reason'?");
  expect_error("scheduler: x\nprocessors: {1: []}" + graph, "s:2:14: expected processor 0, found 1");
  expect_error("scheduler: x\nreplicas: 0\nprocessors: {}" + graph, "s:2:11: '0' is not a valid replicas");
  expect_error("scheduler: x\nrepetition: 0\nprocessors: {}" + graph,
               "s:2:13: '0' is not a valid repetition");
  expect_error("scheduler: x\nreplicas: 4294967295\nprocessors: {}" + graph,
               "s:2:11: '4294967295' is not a valid replicas");
  expect_error("scheduler: x\nreplicas: 1073741824\nprocessors: {0: []}" + graph,
               "s:2:11: 'replicas' is 1073741824, but the schedule has only 0 computations");
  const std::string message = "scheduler: x\nprocessors: {0: []}\nmessages:\n  - ";
  expect_error(message + "{from: 0, to: 1, size: 1, data: []}" + graph,
               "s:4:19: '1' is not a valid processor");
  expect_error(message + "{from: 0, to: 0, size: 1, data: [a]}" + graph, "s:4:38: task 'a' has no output");
}

TEST(ScheduleYaml, reports_all_errors_with_their_places) {
  const std::string text = R"(scheduler: x
optimal: maybe
processors:
  0:
    - {compute: a, start: 0, end: x}
    - {compute: c, start: 0}
  1:
    - {compute: b, strat: 0, end: 1}
graph:
  tasks:
    - {name: a, work: 1}
    - {name: b, work: 1}
)";
  EXPECT_THAT([&] { (void)read(text); }, ThrowsMessage<ConfigError>(StartsWith("s:2:10: 'maybe' is not")));
  std::string without = text;
  without.replace(without.find("maybe"), 5, "true");
  EXPECT_THAT([&] { (void)read(without); },
              ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr("s:5:35: 'x' is not a valid end"), HasSubstr("s:6:17: unknown task 'c'"),
                        HasSubstr("s:8:20: unknown key of an operation 'strat'; did you mean 'start'?"),
                        HasSubstr("s:8:7: an operation needs a 'start'"))));
}

}  // namespace
}  // namespace takt
