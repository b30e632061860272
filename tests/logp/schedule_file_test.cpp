/// Are whole schedule files read and written as documented, and errors located?

#include "logp/schedule_file.hpp"

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/graphs/generators.hpp"

namespace takt::logp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

constexpr const char* documented = R"(scheduler: greedy
replicas: 1
processors:                # operations in order of time; processors and messages count from 0
  0:
    - {compute: a, start: 0, end: 4}
    - {send: 0, start: 4, end: 5}
  1:
    - {receive: 0, start: 6, end: 7}
    - {compute: b, start: 7, end: 9}
messages:
  - {from: 0, to: 1, size: 3, data: [a]}
machine:
  processors: 2
  costs:
    all: {latency: 1, overhead: 1, gap: 1}
graph:
  tasks:
    - {name: a, work: 4}
    - {name: b, work: 2}
  edges:
    - {from: a, to: b, size: 3}
)";

TEST(ScheduleFiles, are_read_in_the_documented_format) {
  const ScheduleFile file = schedule_from_yaml(documented, "s.yaml");
  EXPECT_EQ(file.machine, parse_machine("logp:P=2,L=1,o=1,g=1"));
  EXPECT_EQ(file.graph.task_count(), 2U);
  EXPECT_EQ(file.schedule.scheduler, "greedy");
  EXPECT_EQ(file.schedule.messages.size(), 1U);
  EXPECT_EQ(file.schedule.processors[1][1].end, Time{9});
}

TEST(ScheduleFiles, round_trip) {
  const ScheduleFile file = schedule_from_yaml(documented, "s.yaml");
  for (const char* machine : {"logp:P=2,L=1,o=1,g=1", "delay:P=2,speed=1/2,network=ring:2,link=3+0.1"}) {
    const Machine other = parse_machine(machine);
    const std::string text = schedule_to_yaml(file.graph, other, file.schedule);
    const ScheduleFile back = schedule_from_yaml(text, "s.yaml");
    EXPECT_EQ(back.graph, file.graph);
    EXPECT_EQ(back.machine, other);
    EXPECT_EQ(back.schedule, file.schedule);
    EXPECT_EQ(schedule_to_yaml(back.graph, back.machine, back.schedule), text);
  }
}

/// The documented file with one replaced piece of text.
std::string with(const std::string& piece, const std::string& replacement) {
  std::string text = documented;
  return text.replace(text.find(piece), piece.size(), replacement);
}

TEST(ScheduleFiles, report_errors_of_every_part_with_their_positions) {
  std::string text = with("all: {latency: 1,", "al: {latency: fast,");
  text.replace(text.find("end: 9"), 6, "end: x");
  EXPECT_THAT([&] { (void)schedule_from_yaml(text, "s.yaml"); },
              ThrowsMessage<ConfigError>(
                  AllOf(StartsWith("s.yaml:9:35: 'x' is not a valid end"),
                        HasSubstr("\ns.yaml:15:5: unknown key of a machine's costs 'al'; did you mean"))));
}

TEST(ScheduleFiles, need_a_machine_as_a_mapping) {
  const auto refusal = [](const std::string& text) {
    try {
      (void)schedule_from_yaml(text, "s");
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string all = documented;
  const std::size_t machine = all.find("machine:"), graph = all.find("graph:");
  EXPECT_EQ(refusal(all.substr(0, machine) + all.substr(graph)), "s:1:1: a schedule needs a 'machine'");
  EXPECT_EQ(refusal(all.substr(0, machine) + "machine: 5\n" + all.substr(graph)),
            "s:12:10: expected a machine: a mapping with 'processors' and 'costs'");
  EXPECT_THAT(refusal(""), StartsWith("s: expected a schedule as a mapping with the keys scheduler"));
  EXPECT_THAT(refusal(all.substr(0, machine) + "machine: &m {processors: 2, costs: {all: *m}}\n"),
              HasSubstr("s:12:42: an alias within its own anchor"));
}

}  // namespace
}  // namespace takt::logp
