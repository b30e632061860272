#pragma once
/// What a rehearsal (rehearsal.hpp) has shown of plans, and which of them is taken.

#include <optional>
#include <vector>

#include "core/units.hpp"
#include "pipeline/engine/latency_turns.hpp"
#include "pipeline/planning/pipeline_plan.hpp"
#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// What was seen of plans.
struct Rehearsed {
  /// Frames a second of each; 0 where it was not to be seen, or not tried, since it promises too little
  /// beside those before it.
  std::vector<double> hertz;
  /// The median frame's to each sink where the source gives its own rate, or 0.9 of what the plan sustains if
  /// that is less (with_rare_sinks): of the one that is chosen, and of all that sustain enough where the
  /// least latency is asked for.
  std::vector<SinkLatencies> latencies = {};
  /// Which of them is to be taken (choose_rehearsed).
  std::size_t chosen = 0;
  /// What processors took to hand over to each other in the last turn of the one that is chosen.
  std::optional<double> hand_over_ns;
  /// What that one's turns were: its rate, and its latencies in ns by stage.
  std::optional<Spread> rate_spread = {};
  std::vector<std::optional<Spread>> latency_spreads = {};
};

/// With those sinks of a plan that hardly a frame came to while others were seen: as much longer than by
/// costs as to the one with the nearest latency by costs, which had the same way up to there; no sooner than
/// what the tasks on the way take.
[[nodiscard]] SinkLatencies with_rare_sinks(const RunPlan& plan, SinkLatencies rehearsed);

/// The first one that sustains what is enough, or a later one whose latency to the sink where it is the
/// longest is known, and less by a tenth, and that sustains as much, or amply. Where none sustains enough, or
/// only the highest rate is asked for, the fastest one, but the first one unless another is faster by more
/// than trials of one plan differ (3
/// %), or where its own rate was not to be seen.
[[nodiscard]] std::size_t choose_rehearsed(const std::vector<double>& hertz,
                                           const std::optional<RateToHold>& to_hold = {},
                                           const std::vector<SinkLatencies>& latencies = {});

/// Puts the rate and the latency that were found into the summary of the plan that was chosen, and says what
/// was tried.
void note_rehearsal(RunPlan& chosen, const std::vector<SharedPlan>& plans, const Rehearsed& seen);

}  // namespace takt::pipeline
