#include "pipeline/launch/deviation_report.hpp"

#include <algorithm>

#include "pipeline/constants.hpp"

namespace takt::pipeline {

bool DeviationReport::is_unreported(const std::string& what) const {
  const auto said = said_.find(what);
  if (said == said_.end()) return true;
  const std::int64_t windows = silent_windows << std::min(said->second.times - 1, most_doublings);
  return said->second.away_ns >= windows * window_ns_;
}

bool DeviationReport::is_to_be_reported(const Diagnosis& seen, std::int64_t now) {
  const auto lasts = [&](const std::optional<std::int64_t>& since, double windows) {
    return since && static_cast<double>(now - *since) >= windows * static_cast<double>(window_ns_);
  };
  if (!is_reported_) {
    is_reported_ = lasts(seen_since_, short_while);
    return is_reported_ && is_unreported(seen.cause);
  }
  return (lasts(cause_since_, long_while) && is_unreported(seen.cause)) ||
         (lasts(missed_since_, short_while) && is_unreported(rate_cause));
}

std::optional<std::string> DeviationReport::take(const std::optional<Diagnosis>& seen, std::int64_t now) {
  if (!seen) {
    seen_since_ = cause_since_ = missed_since_ = std::nullopt;
    cause_.clear();
    if (now - last_seen_ >= 2 * window_ns_) is_reported_ = false;
    return std::nullopt;
  }
  last_seen_ = now;
  if (!seen_since_) seen_since_ = now;
  if (seen->cause != cause_) cause_since_ = now;
  cause_ = seen->cause;
  if (!seen->misses_rate) missed_since_.reset();
  if (seen->misses_rate && !missed_since_) missed_since_ = now;

  for (const std::string& what : seen->told) {
    const auto said = said_.find(what);
    if (said == said_.end()) continue;
    if (now - said->second.last_seen >= 2 * window_ns_) said->second.away_ns += now - said->second.last_seen;
    said->second.last_seen = now;
  }
  const bool says = is_to_be_reported(*seen, now);
  for (const std::string& what : seen->told)
    if (says) said_[what] = {.last_seen = now, .times = said_[what].times + 1};
  if (!says) return std::nullopt;
  return seen->text;
}

}  // namespace takt::pipeline
