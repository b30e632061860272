#include "pipeline/runtime/trials/trial_results.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace takt::pipeline {

namespace {

/// Returns text such as `one rank: 600 Hz (1 kHz by costs, latency 2 ms)`.
std::string tried_text(const std::string& name, const RunPlan& plan, const PlanFigures& figures,
                       bool has_latency) {
  return fmt::format(
      "{}: {} ({} by costs{})", name, takt::to_string(Frequency{figures.hertz}),
      takt::to_string(Frequency{plan.predicted_hz}),
      has_latency && figures.latency ? fmt::format(", latency {}", takt::to_string(*figures.latency)) : "");
}

void note_tried(RunPlan& chosen, const std::vector<SharedPlan>& plans, const TrialResults& results) {
  const auto is_seen = [](const PlanFigures& each) { return each.hertz > 0; };
  const auto has_latency = [](const PlanFigures& each) { return each.latency.has_value(); };
  if (std::ranges::count_if(results.figures, is_seen) < 2) return;
  std::vector<const RunPlan*> all;
  for (const SharedPlan& plan : plans) all.push_back(&plan.summary);
  const std::vector<std::string> names = names_of(all);
  const bool are_compared = std::ranges::count_if(results.figures, has_latency) > 1;
  std::vector<std::string> tried;
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (is_seen(results.figures[i]))
      tried.push_back(tried_text(names[i], plans[i].summary, results.figures[i], are_compared));
  chosen.notes.push_back(
      fmt::format("plans tried: {}; chosen: {}", fmt::join(tried, "; "), names[results.chosen]));
}

void set_trial_latencies(RunPlan& chosen, const TrialResults& results) {
  std::vector<Time> latencies;
  for (std::size_t i = 0; i < chosen.stages.size(); ++i) {
    PlannedStage& stage = chosen.stages[i];
    const std::optional<Time> seen = results.latencies[i];
    latencies.push_back(seen.value_or(Time(stage.latency_ns)));
    if (seen) stage.costs_latency_ns = stage.latency_ns;
    stage.trial_latency_ns = results.latency_spreads[i];
  }
  set_latencies(latencies, chosen);
}

}  // namespace

std::optional<Time> longest_latency(const SinkLatencies& latencies) {
  return latencies.empty() ? std::nullopt : std::ranges::max(latencies);
}

void note_trials(RunPlan& chosen, const std::vector<SharedPlan>& plans, const TrialResults& results) {
  note_tried(chosen, plans, results);
  const double hertz = results.figures[results.chosen].hertz;
  if (hertz <= 0) return;
  for (const std::size_t stage : results.unseen_stages)
    chosen.notes.push_back(fmt::format(
        "the trial run was too short for '{}', which processes one frame in {:.0f}: use a longer `--trial`",
        chosen.stages[stage].name, 1 / chosen.stages[stage].calls_a_frame));
  for (double& busy : chosen.predicted_busy) busy = std::min(1.0, busy * hertz / chosen.predicted_hz);
  chosen.costs_hz = chosen.predicted_hz;
  chosen.predicted_hz = hertz;
  chosen.trial_hz = results.rates;
  if (longest_latency(results.latencies)) set_trial_latencies(chosen, results);
}

}  // namespace takt::pipeline
