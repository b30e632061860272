#pragma once
/// The operations of one iteration of a schedule, in the order in which ranks do them.

#include <cstdint>
#include <vector>

#include "core/schedule.hpp"
#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

struct OrderedOperation {
  Operation operation;
  /// As in core/offsets.hpp, but not negative and 0 for sources.
  std::uint32_t offset = 0;
};

/// Returns by processor the operations of an iteration of a pipelined schedule (core/offsets.hpp), in their
/// order. Sources take all frames of an iteration in that iteration, and in order: a source that the schedule
/// starts later is moved forward, which leaves its successors more time. O(n log n).
[[nodiscard]] std::vector<std::vector<OrderedOperation>> iteration_orders(const Pipeline& pipeline,
                                                                          const Schedule& schedule);

}  // namespace takt::pipeline
