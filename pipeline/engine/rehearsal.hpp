#pragma once
/// Plans tried for a moment before a run, by the ranks that will run them, on frames that are made up: what
/// caches, memory and cores that several ranks share do to a pipeline, no costs of single tasks tell.

#include <optional>
#include <string>
#include <vector>

#include <mpi.h>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/engine/executor.hpp"
#include "pipeline/engine/hand_over.hpp"
#include "pipeline/engine/rehearsed.hpp"
#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// For how long each plan is tried; 0: not at all.
inline constexpr Time usual_rehearsal{std::chrono::milliseconds{100}};

/// Whether the run of a plan is to last ten times as long as this, as far as anybody says.
[[nodiscard]] bool is_long_beside(Time duration, const Pipeline& pipeline, const RunPlan& plan,
                                  const StreamLimits& limits);

/// Takes away plans of so many frames in a repetition that a few rounds take too long to be tried, where
/// another one that promises enough is worth trying: for the highest frequency 0.85 of the first one's; for
/// the least latency the rate, unless another margin than the usual one is asked for.
void leave_out_long_rounds(const Pipeline& pipeline, std::vector<SharedPlan>& plans,
                           const StreamLimits& limits, Time duration);

/// Whether trying these plans for so long each is worth it: not where the run is not to last ten times as
/// long, nor where a few rounds of a plan take longer than that.
[[nodiscard]] bool is_worth_rehearsing(const Pipeline& pipeline, const std::vector<SharedPlan>& plans,
                                       const StreamLimits& limits, Time duration);

/// Whether what sinks write in a rehearsal has ample room among this host's temporary files.
[[nodiscard]] bool has_room_to_rehearse(const Pipeline& pipeline, const std::vector<SharedPlan>& plans,
                                        Time duration);

/// Whether a plan that promises so many frames a second may be the fastest, once another one was seen to
/// sustain `seen_hz`: costs alone may be wrong by a factor of 1.6.
[[nodiscard]] bool may_be_faster(double promised_hz, double seen_hz);

/// Whether more ranks have tasks on some node than it has processors for them: others only come up there.
/// Both by rank.
[[nodiscard]] bool takes_turns(const RunPlan& plan, const std::vector<int>& node_of,
                               const std::vector<int>& processors);

/// What each plan sustains when its sources give frames as fast as they are taken (those that receive are
/// replaced by noise; sinks write to nameless files). The plans take turns, so that a disturbance meets them
/// alike; then the one that is chosen has more of them, while that makes its rate clearer. Where the source
/// has a rate, frames also come at that one, so that ranks sleep and wake as in the run: for the latency.
/// `hand_over` is asked behind each turn. The same on all ranks. Collective; throws what Executor throws.
[[nodiscard]] Rehearsed rehearse(const Pipeline& pipeline, const std::vector<SharedPlan>& plans,
                                 const std::vector<int>& nodes, const RunOptions& options, Time duration,
                                 HandOver& hand_over, MPI_Comm communicator);

}  // namespace takt::pipeline
