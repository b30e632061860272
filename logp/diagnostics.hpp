#pragma once
/// Is a schedule correct, and does it obey LogP? The one independent judge of every scheduler's output.
///
/// The checker recomputes nothing that the timing engine computed: it looks at the operations one by one and
/// holds them against the graph and the machine. It shares no code with logp/timing.

#include <optional>
#include <string>
#include <vector>

#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

/// One broken rule.
struct Finding {
  /// Name of the rule, for example `task-once`, `overlap`, `send-gap`, `capacity`.
  std::string rule;
  /// What is wrong, with the operation, the processor and the numbers.
  std::string message;
};

struct DiagnosticOptions {
  /// Check that repeated instances, one every repetition time, do not collide either.
  bool repeated = true;
  /// The repetition time to check; the schedule's own one (measure) when nothing is given.
  std::optional<Time> repetition = std::nullopt;
  /// Also demand the gap between a send and a receive of one processor.
  bool gap_between_send_and_receive = false;
  /// Stop after this many findings.
  std::size_t limit = 100;
};

/// Every broken rule, in order of processor and time; empty when the schedule is valid. O(operations log
/// operations).
[[nodiscard]] std::vector<Finding> diagnose(const TaskGraph& graph, const Machine& machine,
                                            const Schedule& schedule, const DiagnosticOptions& options = {});

}  // namespace takt::logp
