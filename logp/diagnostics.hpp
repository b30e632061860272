#pragma once
/// Checks schedules for correctness and LogP conformity: the independent judge of every scheduler's output.
///
/// The checker does not reuse computations of the timing engine: it compares the operations one by one with
/// the graph and the machine. It shares no code with logp/timing.

#include <vector>

#include "core/schedule.hpp"
#include "logp/finding.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

/// Returns all violated rules, in order of processor and time; empty when the schedule is valid. O(operations
/// log operations).
[[nodiscard]] std::vector<Finding> diagnose(const TaskGraph& graph, const Machine& machine,
                                            const Schedule& schedule, const DiagnosticOptions& options = {});

}  // namespace takt::logp
