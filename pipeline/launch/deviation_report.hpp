#pragma once
/// When to say that a run differs from its plan: once.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/units.hpp"
#include "pipeline/launch/deviation.hpp"

namespace takt::pipeline {

/// One sentence for one thing that happens to a run. It waits until that has lasted for half a window, so
/// that what comes of it is in the sentence. Until the run has been as planned for two windows a second one
/// comes only when
///   * something else has been the cause for two windows, which the first one did not tell, or
///   * frames come too slowly (Diagnosis::misses_rate) for half a window, and the first one did not tell.
/// What was said is said again only when it has been away for twelve windows (a minute) in all, then for
/// twice as many, and so on: a load that comes and goes fills no log. Quick enough for a look five times a
/// second.
class DeviationReport {
 public:
  explicit DeviationReport(Time window) : window_ns_(window.count()) {}

  /// What to say at `now`, in ns of any clock; `seen` is nothing where all is as planned, or nobody knows
  /// yet.
  [[nodiscard]] std::optional<std::string> take(const std::optional<Diagnosis>& seen, std::int64_t now);

 private:
  struct Said {
    std::int64_t last_seen = 0;
    /// Since it was said, all together.
    std::int64_t away_ns = 0;
    int times = 0;
  };
  [[nodiscard]] bool is_news(const std::string& what) const;
  [[nodiscard]] bool is_to_be_said(const Diagnosis& seen, std::int64_t now);

  std::int64_t window_ns_;
  std::map<std::string, Said> said_;
  std::string cause_;
  /// Since when something, this cause, and too slow a rate are seen at every look.
  std::optional<std::int64_t> seen_since_, cause_since_, missed_since_;
  std::int64_t last_seen_ = 0;
  /// Whether what happens now has been told.
  bool is_told_ = false;
};

}  // namespace takt::pipeline
