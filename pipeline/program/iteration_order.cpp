#include "pipeline/program/iteration_order.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include "core/offsets.hpp"

namespace takt::pipeline {

namespace {

bool is_source(const Pipeline& pipeline, const Operation& operation) {
  return operation.kind == OperationKind::compute &&
         pipeline.stages[operation.subject].kind == StageKind::source;
}

/// Lets a processor take its frames of an iteration in ascending order from each source with a state.
void sort_frames_of_sources(const Pipeline& pipeline, std::vector<OrderedOperation>& order) {
  const auto takes_in_order = [&](const Operation& operation) {
    return is_source(pipeline, operation) && !pipeline.stages[operation.subject].stateless;
  };
  std::map<std::uint32_t, std::vector<std::uint32_t>> frames;
  for (const auto& [operation, offset] : order)
    if (takes_in_order(operation)) frames[operation.subject].push_back(operation.instance);
  for (auto& [source, instances] : frames) std::ranges::sort(instances, std::greater<>());
  for (auto& [operation, offset] : order) {
    if (!takes_in_order(operation)) continue;
    std::vector<std::uint32_t>& rest = frames[operation.subject];
    operation.set_instance(rest.back());
    rest.pop_back();
  }
}

}  // namespace

std::vector<std::vector<OrderedOperation>> iteration_orders(const Pipeline& pipeline,
                                                            const Schedule& schedule) {
  const std::vector<std::vector<IterationStep>> programs = iteration_programs(schedule);
  // Each frame begins at a source.
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const auto& steps : programs)
    for (const IterationStep& step : steps) first = std::min(first, step.offset);
  std::vector<std::vector<OrderedOperation>> orders(programs.size());
  for (std::size_t p = 0; p < programs.size(); ++p) {
    for (const IterationStep& step : programs[p]) {
      const Operation& operation = schedule.processors[p][step.operation];
      const std::int64_t offset = is_source(pipeline, operation) ? 0 : step.offset - first;
      orders[p].push_back({operation, static_cast<std::uint32_t>(offset)});
    }
    sort_frames_of_sources(pipeline, orders[p]);
  }
  return orders;
}

}  // namespace takt::pipeline
