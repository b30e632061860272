#include "core/offsets.hpp"

#include <algorithm>
#include <tuple>

namespace takt {

namespace {

std::vector<IterationStep> program_of(const std::vector<Operation>& operations,
                                      std::optional<Time> repetition) {
  std::vector<IterationStep> steps;
  steps.reserve(operations.size());
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    const std::int64_t offset = repetition ? offset_of(operations[i], *repetition) : 0;
    steps.push_back({i, offset, operations[i].start - offset * repetition.value_or(Time{0})});
  }
  if (!repetition) return steps;
  // An operation without a length has room before one that starts at the same time, not after it.
  std::ranges::sort(steps, {}, [&](const IterationStep& step) {
    const Operation& operation = operations[step.operation];
    return std::tuple(step.start, operation.end > operation.start, step.operation);
  });
  return steps;
}

}  // namespace

std::vector<std::vector<IterationStep>> iteration_programs(const Schedule& schedule) {
  std::vector<std::vector<IterationStep>> programs;
  programs.reserve(schedule.processors.size());
  for (const std::vector<Operation>& operations : schedule.processors)
    programs.push_back(program_of(operations, schedule.repetition));
  return programs;
}

std::int64_t largest_offset(const Schedule& schedule) {
  std::int64_t largest = 0;
  if (schedule.repetition)
    for (const std::vector<Operation>& operations : schedule.processors)
      for (const Operation& operation : operations)
        largest = std::max(largest, offset_of(operation, *schedule.repetition));
  return largest;
}

}  // namespace takt
