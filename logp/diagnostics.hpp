#pragma once
/// Is a schedule correct, and does it obey LogP? The one independent judge of every scheduler's output.
///
/// The checker recomputes nothing that the timing engine computed: it looks at the operations one by one and
/// holds them against the graph and the machine. It shares no code with logp/timing.

#include <vector>

#include "core/schedule.hpp"
#include "logp/finding.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

/// Every broken rule, in order of processor and time; empty when the schedule is valid. O(operations log
/// operations).
[[nodiscard]] std::vector<Finding> diagnose(const TaskGraph& graph, const Machine& machine,
                                            const Schedule& schedule, const DiagnosticOptions& options = {});

}  // namespace takt::logp
