#pragma once
/// What a check finds, and what checks are told.

#include <cstddef>
#include <optional>
#include <string>

#include "core/units.hpp"

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

}  // namespace takt::logp
