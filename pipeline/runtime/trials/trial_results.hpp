#pragma once
/// What the trial runs of plans have shown.

#include <cstddef>
#include <optional>
#include <vector>

#include "core/units.hpp"
#include "pipeline/planning/run_plan.hpp"
#include "pipeline/planning/verdict.hpp"
#include "pipeline/runtime/trials/trial_run.hpp"

namespace takt::pipeline {

struct TrialResults {
  /// By plan; a rate of 0 where it was not to be seen.
  std::vector<PlanFigures> figures;
  /// The plan to take.
  std::size_t chosen = 0;
  /// Of that one: its rates, and of each stage that is a sink the median latency and the spread of its
  /// repetitions, where enough frames came to it.
  std::optional<Spread> rates = {};
  SinkLatencies latencies = {};
  std::vector<std::optional<Spread>> latency_spreads = {};
  /// Stages whose calls are further apart than a repetition was long.
  std::vector<std::size_t> unseen_stages = {};
};

/// To the sink where it is the longest; nothing where none is known.
[[nodiscard]] std::optional<Time> longest_latency(const SinkLatencies& latencies);

/// Puts the rate and the latencies that were measured into the summary of the plan that was chosen, and notes
/// what was tried.
void note_trials(RunPlan& chosen, const std::vector<SharedPlan>& plans, const TrialResults& results);

}  // namespace takt::pipeline
