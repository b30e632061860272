/// Tests the planned latency of frames when sinks get different numbers of frames.

#include "pipeline/planning/planned_latency.hpp"

#include <gtest/gtest.h>

#include "logp/machine.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

/// Stages in their order: s, a, sums, each, few.
Pipeline two_sinks(const std::string& factor) {
  return load(R"(sources: {s: {type: synthetic, axes: [time=4], rate: 50 Hz}}
tasks:
  a: {kernel: pass, input: s}
  sums: {kernel: integrate, input: a, factor: )" +
              factor + R"(}
sinks:
  each: {type: 'null', input: a}
  few: {type: 'null', input: sums}
deployment: {ranks: 1}
)");
}

TaskId task(const Pipeline& pipeline, const std::string& name) {
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
    if (pipeline.stages[i].name == name) return TaskId(i);
  throw std::out_of_range(name);
}

/// One rank runs the stages in order from `start` on.
void add_frame(const Pipeline& pipeline, Schedule& schedule, Time start, std::uint32_t instance,
               ProcessorId processor) {
  const std::vector<std::pair<std::string, int>> steps{
      {"s", 1}, {"a", 2}, {"each", 1}, {"sums", 5}, {"few", 1}};
  for (const auto& [name, ticks] : steps) {
    schedule.add_compute(processor, task(pipeline, name), start, start + Time{ticks}, instance);
    start += Time{ticks};
  }
}

/// Latencies of `each` and `few`.
using Latencies = std::pair<Time, Time>;

Latencies of_sinks(const Pipeline& pipeline, const std::vector<Time>& by_stage) {
  return {by_stage[task(pipeline, "each").index()], by_stage[task(pipeline, "few").index()]};
}

TEST(PlannedLatency, is_computed_for_each_sink) {
  const Pipeline pipeline = two_sinks("8");
  Schedule schedule("test", 1);
  add_frame(pipeline, schedule, Time{100}, 0, ProcessorId(0));
  const std::vector<Time> latencies = planned_latencies(pipeline, schedule);
  EXPECT_EQ(of_sinks(pipeline, latencies), Latencies(Time{4}, Time{10}));
  EXPECT_EQ(latencies[task(pipeline, "a").index()], Time{0});
}

TEST(PlannedLatency, counts_each_frame_of_an_iteration_from_its_own_source) {
  const Pipeline pipeline = two_sinks("8");
  Schedule schedule("test", 2);
  schedule.replicas = 2;
  add_frame(pipeline, schedule, Time{0}, 0, ProcessorId(0));
  add_frame(pipeline, schedule, Time{50}, 1, ProcessorId(1));
  EXPECT_EQ(of_sinks(pipeline, planned_latencies(pipeline, schedule)), Latencies(Time{4}, Time{10}));
}

TEST(PlannedLatency, counts_from_the_sources_that_a_sink_descends_from) {
  const Pipeline pipeline = load(R"(sources:
  s: {type: synthetic, axes: [time=4], rate: 50 Hz}
  t: {type: synthetic, axes: [time=4], rate: 50 Hz}
tasks: {a: {kernel: pass, input: t}}
sinks:
  each: {type: 'null', input: s}
  few: {type: 'null', input: a}
deployment: {ranks: 1}
)");
  Schedule schedule("test", 1);
  Time start{0};
  for (const char* name : {"s", "each", "t", "a", "few"}) {
    schedule.add_compute(ProcessorId(0), task(pipeline, name), start, start + Time{10}, 0);
    start += Time{10};
  }
  EXPECT_EQ(of_sinks(pipeline, planned_latencies(pipeline, schedule)), Latencies(Time{20}, Time{30}));
}

TEST(PlannedLatency, of_a_schedule_without_sinks_is_none) {
  const Pipeline pipeline = two_sinks("1");
  EXPECT_EQ(of_sinks(pipeline, planned_latencies(pipeline, Schedule("empty", 1))), Latencies());
}

/// Three frames, 20 ms apart, whose sources are first in the program: the first frame waits for two others,
/// the second for one. After its arrival the second one needs 20 ms, the last poll of the source and the work
/// of two frames, except that after its sink.
TEST(PlannedLatency, at_the_rate_of_the_source_includes_the_wait_for_later_frames) {
  const Pipeline pipeline = two_sinks("8");
  const auto machine = logp::parse_machine("logp:P=1,L=1,o=1,g=1");
  const TaskGraph graph = pipeline.task_graph({Time{1}, Time{2}, Time{5}, Time{1}, Time{1}});
  Schedule schedule("test", 1);
  schedule.replicas = 3;
  const ProcessorId only(0);
  for (std::uint32_t i = 0; i < 3; ++i)
    schedule.add_compute(only, task(pipeline, "s"), Time{i}, Time{i + 1}, i);
  for (std::uint32_t i = 0; i < 3; ++i) {
    Time start{3 + 9 * i};
    for (const auto& [name, ticks] :
         {std::pair<std::string, int>{"a", 2}, {"each", 1}, {"sums", 5}, {"few", 1}}) {
      schedule.add_compute(only, task(pipeline, name), start, start + Time{ticks}, i);
      start += Time{ticks};
    }
  }
  constexpr std::chrono::milliseconds period(20);
  EXPECT_EQ(of_sinks(pipeline, paced_latencies(pipeline, graph, machine, schedule)),
            Latencies(period + Time{1 + 9 + 3}, period + Time{1 + 9 + 9}));
}

}  // namespace
}  // namespace takt::pipeline::test
