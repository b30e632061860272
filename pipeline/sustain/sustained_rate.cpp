#include "pipeline/sustain/sustained_rate.hpp"

#include "core/error.hpp"

namespace takt::pipeline {

std::optional<bool> SustainedRate::holds_required() const {
  if (!plan.required_hz) return std::nullopt;
  return rate.highest_hz && *rate.highest_hz >= *plan.required_hz;
}

namespace {

/// Tries a far lower rate, up to twice. If the latency is above its limit there, it is at any rate: frames
/// hardly wait for each other.
bool is_late_at_any_rate(double hertz, const std::function<std::optional<RateVerdict>(double)>& trial,
                         SustainedRate& found) {
  constexpr double far_lower = 0.1;
  for (int attempt = 0; attempt < 2; ++attempt)
    if (!trial(far_lower * hertz) || !found.trials.back().is_late) return false;
  found.rate = {.failed_hz = far_lower * hertz, .trials = found.trials.size()};
  return true;
}

}  // namespace

SustainedRate find_sustained_rate(const TrialBed& bed, const RunPlan& plan, const SustainOptions& options) {
  SustainedRate found{.plan = plan, .trial = options.trial, .search = options.search};
  bool goes_on = true;
  const auto try_rate = [&](double hertz, std::vector<RateTrial>& trials) {
    try {
      trials.push_back(bed.run(hertz));
    } catch (const WorkError& error) {
      // Results up to the failure are still reported.
      found.failure = error.what();
      goes_on = false;
      return;
    }
    goes_on = !options.on_trial || options.on_trial(trials.back());
  };

  found.search.first_hz = plan.predicted_hz;
  if (can_saturate(bed.pipeline())) {
    std::vector<RateTrial> saturated;
    try_rate(0, saturated);
    if (!saturated.empty()) {
      found.saturated = saturated.front();
      found.search.first_hz = found.saturated->sustained_hz.value_or(plan.predicted_hz);
    }
  }
  const auto trial = [&](double hertz) -> std::optional<RateVerdict> {
    if (!goes_on) return std::nullopt;
    try_rate(hertz, found.trials);
    if (!goes_on) return std::nullopt;
    return RateVerdict(found.trials.back().holds(), found.trials.back().was_disturbed());
  };
  if (options.trial.latency_limit && is_late_at_any_rate(found.search.first_hz, trial, found)) return found;
  found.rate = find_highest_rate(trial, found.search);
  if (!found.rate.highest_hz) return found;
  for (std::size_t i = 1; goes_on && i <= options.curve_points; ++i)
    try_rate(*found.rate.highest_hz * static_cast<double>(i) / static_cast<double>(options.curve_points),
             found.curve);
  return found;
}

}  // namespace takt::pipeline
