#pragma once
/// Findings and options of the checks.

#include <cstddef>
#include <optional>
#include <string>

#include "core/units.hpp"

namespace takt::logp {

/// A violated rule.
struct Finding {
  /// Name of the rule, for example `task-once`, `overlap`, `send-gap`, `capacity`.
  std::string rule;
  /// Description of the violation, with the operation, the processor and the numbers.
  std::string message;
};

struct DiagnosticOptions {
  /// Also check for collisions between repeated iterations.
  bool repeated = true;
  /// The period to check; empty: the schedule's own one (measure).
  std::optional<Time> repetition = std::nullopt;
  /// Also require the gap between a send and a receive of one processor.
  bool gap_between_send_and_receive = false;
  /// Largest number of findings.
  std::size_t limit = 100;
};

}  // namespace takt::logp
