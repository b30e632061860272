#pragma once
/// What a comparison says of one scheduler on one graph and one machine.

#include <optional>
#include <string>

#include "schedulers/judge/evaluation.hpp"

namespace takt::schedulers {

/// One scheduler on one graph and one machine.
struct ComparisonRow {
  std::string graph;
  std::string machine;
  std::string scheduler;
  /// Nothing when the scheduler refused or failed; `error` then says why.
  std::optional<Figures> figures;
  /// Why there are no figures, the first finding about a schedule that is not valid, or that the figures are
  /// those of the best schedule at the time limit; otherwise empty.
  std::string error;
  /// The scheduler's family.
  std::string family;
  /// Ten times its frequency over the best one of all compared on the same graph and machine; 0 where the
  /// schedule is not valid. Source: the LOIS thesis on frequency-oriented scheduling, 6.2.
  double score = 0;
  /// Whether it was stopped at the comparison's time limit.
  bool was_stopped = false;
  /// What it had found by then, where it had: whose figures these are.
  std::optional<Schedule> best_so_far = {};

  [[nodiscard]] bool is_valid() const { return figures && figures->valid; }
};

}  // namespace takt::schedulers
