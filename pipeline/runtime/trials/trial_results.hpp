#pragma once
/// Results of the trial runs of plans, and their notes in the chosen plan.

#include <cstddef>
#include <optional>
#include <vector>

#include "core/units.hpp"
#include "pipeline/planning/run_plan.hpp"
#include "pipeline/planning/verdict.hpp"
#include "pipeline/runtime/trials/trial_run.hpp"

namespace takt::pipeline {

struct TrialResults {
  /// By plan; a throughput of 0 if it was not measured.
  std::vector<PlanFigures> figures;
  /// Index of the best plan.
  std::size_t chosen = 0;
  /// Figures of the chosen plan: the spread of its throughput, and, by stage, the median latency of sinks and
  /// its spread over repetitions. Nothing for sinks that received too few frames.
  std::optional<Spread> rates = {};
  SinkLatencies latencies = {};
  std::vector<std::optional<Spread>> latency_spreads = {};
  /// Stages with calls further apart than a repetition.
  std::vector<std::size_t> unseen_stages = {};
};

/// Returns the latency of the slowest sink; nothing if no latency is known.
[[nodiscard]] std::optional<Time> longest_latency(const SinkLatencies& latencies);

/// Stores the measured throughput and latencies in the summary of the chosen plan, and adds a note about the
/// plans tried.
void note_trials(RunPlan& chosen, const std::vector<SharedPlan>& plans, const TrialResults& results);

}  // namespace takt::pipeline
