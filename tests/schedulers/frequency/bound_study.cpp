#include "tests/schedulers/frequency/bound_study.hpp"

#include <array>

#include <fmt/format.h>

#include "core/graphs/generators.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {

ExplainedPeriod explain_period(std::string_view graph, std::string_view machine,
                               std::optional<std::uint64_t> effort) {
  Options options{.frames = FrameClass::one_at_a_time};
  options.effort = effort;
  const Schedule schedule =
      find_scheduler("optfo").schedule(generate(graph), logp::parse_machine(machine), options);
  const ScheduleMetrics metrics = measure(schedule);
  return {schedule.period_bound.value().time_of(1), metrics.repetition, metrics.processors_used};
}

std::span<const std::string_view> expensive_shapes() {
  static constexpr std::array<std::string_view, 16> shapes{
      "gauss:size=8",          "gauss:size=16",          "fft:depth=4",       "fft:depth=5",
      "laplace:size=8",        "laplace:size=14",        "layered:tasks=100", "layered:tasks=300",
      "nbody:size=10",         "nbody:size=16",          "send_tree:depth=6", "receive_tree:depth=7",
      "wave:width=10,depth=8", "wave:width=20,depth=12", "diamond:depth=10",  "strassen:depth=2"};
  return shapes;
}

std::string expensive_graph(std::string_view shape, std::size_t largest_datum, std::uint64_t seed) {
  return fmt::format("{},cost=1..100,data=1..{},seed={}", shape, largest_datum, seed);
}

std::string expensive_machine(std::size_t processors) {
  return fmt::format("loglinear:P={},L=0+1,o=0+1,g=0+1", processors);
}

std::span<const std::string_view> unequal_shapes() {
  static constexpr std::array<std::string_view, 9> shapes{
      "gauss:size=13",         "fft:depth=5",       "laplace:size=12",
      "layered:tasks=100",     "layered:tasks=300", "send_tree:depth=6",
      "wave:depth=20,width=6", "nbody:size=10",     "layered:tasks=2000"};
  return shapes;
}

std::string unequal_graph(std::string_view shape) {
  return fmt::format("{},cost=1..100,data=10,seed=3", shape);
}

std::string unequal_machine(std::size_t processors) {
  static constexpr std::array<int, 4> speeds{1, 1, 2, 4};
  std::string text = fmt::format("logp:P={},L=1,o=1,g=2,speed=", processors);
  for (std::size_t p = 0; p < processors; ++p)
    text += fmt::format("{}{}", p == 0 ? "" : "/", speeds[p % speeds.size()]);
  return text;
}

}  // namespace takt::schedulers
