#pragma once
/// A row of a comparison: one scheduler on one graph and one machine.

#include <optional>
#include <string>

#include "schedulers/judge/evaluation.hpp"

namespace takt::schedulers {

/// One scheduler on one graph and one machine.
struct ComparisonRow {
  std::string graph;
  std::string machine;
  std::string scheduler;
  /// Empty when the scheduler refused or failed; `error` then has the reason.
  std::optional<Figures> figures;
  /// Why there are no figures, the first finding about an invalid schedule, or the note that the figures are
  /// those of the best schedule at the time limit; otherwise empty.
  std::string error;
  /// The scheduler's family.
  std::string family;
  /// Ten times its frequency over the best of all compared schedulers on the same graph and machine; 0 for an
  /// invalid schedule. Source: the LOIS thesis on frequency-oriented scheduling, 6.2.
  double score = 0;
  /// Whether it was stopped at the comparison's time limit.
  bool was_stopped = false;
  /// The schedule that the figures are of: the best one by then if it was stopped, and that of any row if the
  /// comparison keeps schedules.
  std::optional<Schedule> schedule = {};

  [[nodiscard]] bool is_valid() const { return figures && figures->valid; }
};

}  // namespace takt::schedulers
