#pragma once
/// Limits reports of deviations: each one is reported once.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/units.hpp"
#include "pipeline/launch/deviation.hpp"

namespace takt::pipeline {

/// Returns one sentence for each deviation, after it has lasted for half a window, so that the sentence
/// covers its effects. Until the run has followed its plan for two windows, a second sentence follows only
/// if
///   * another cause, which the first one did not mention, has lasted for two windows, or
///   * frames are too slow (Diagnosis::misses_rate) for half a window, and the first one did not mention it.
/// A deviation is reported again only after an absence of twelve windows (a minute) in total, then after
/// twice as many, and so on: an intermittent load does not fill the log. Fast enough for five calls a
/// second.
class DeviationReport {
 public:
  explicit DeviationReport(Time window) : window_ns_(window.count()) {}

  /// Returns the report due at `now`, in ns of any clock; `seen` is nothing if the run follows its plan or is
  /// not yet known to deviate.
  [[nodiscard]] std::optional<std::string> take(const std::optional<Diagnosis>& seen, std::int64_t now);

 private:
  struct Said {
    std::int64_t last_seen = 0;
    /// Total absence since the report.
    std::int64_t away_ns = 0;
    int times = 0;
  };
  [[nodiscard]] bool is_unreported(const std::string& what) const;
  [[nodiscard]] bool is_to_be_reported(const Diagnosis& seen, std::int64_t now);

  std::int64_t window_ns_;
  std::map<std::string, Said> said_;
  std::string cause_;
  /// Since when each look has seen a deviation, this cause, and a missed rate.
  std::optional<std::int64_t> seen_since_, cause_since_, missed_since_;
  std::int64_t last_seen_ = 0;
  /// True if the current deviation has been reported.
  bool is_reported_ = false;
};

}  // namespace takt::pipeline
