#pragma once
/// Measures the time T(v, p) of a data-parallel kernel per frame on groups of ranks.

#include <cstddef>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/profile.hpp"

namespace takt::pipeline {

/// Returns the group sizes to measure for a stage on this number of ranks: all up to 8, then powers of two,
/// and the largest possible one. Empty if the stage runs on one rank.
[[nodiscard]] std::vector<std::size_t> measured_group_sizes(const Pipeline& pipeline, std::size_t stage,
                                                            std::size_t ranks);

/// Returns the number of frames for the measurement of a group, where one rank takes `alone` per frame.
[[nodiscard]] std::size_t group_runs(Time alone, Time budget = std::chrono::milliseconds{100});

/// Runs one member's part of a measurement on `runs` frames of noise, which all members start together.
/// Returns to every member the time of the slowest one: the median of the frames, or the mean for a stateful
/// stage. Inputs are in the caches as for `profile`. The time includes the exchange between members, but not
/// the redistribution of the frames.
[[nodiscard]] Time time_member(const Pipeline& pipeline, std::size_t stage, Group& group, std::size_t runs);

/// Adds the times of groups of up to `ranks` ranks to the costs on one rank, with threads of this process
/// instead of ranks; at most as many as there are cores.
void profile_groups(const Pipeline& pipeline, std::size_t ranks, std::vector<StageCost>& costs,
                    Time budget = std::chrono::milliseconds{100});

/// Runs `profile` with groups of up to the pipeline's number of ranks, for a process that measures alone: a
/// hanging stage ends it (hang_watch.hpp).
[[nodiscard]] std::vector<StageCost> profile_with_groups(const Pipeline& pipeline,
                                                         const ProfileOptions& options = {});

}  // namespace takt::pipeline
