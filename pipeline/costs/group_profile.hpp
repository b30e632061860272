#pragma once
/// How long groups of ranks take for a frame of a data-parallel kernel: T(v, p), measured.

#include <cstddef>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/profile.hpp"

namespace takt::pipeline {

/// Numbers of ranks whose groups are measured, of a stage on so many ranks: all up to 8, then powers of two,
/// and the most that can work on it. Empty where it runs on one rank.
[[nodiscard]] std::vector<std::size_t> measured_group_sizes(const Pipeline& pipeline, std::size_t stage,
                                                            std::size_t ranks);

/// Frames that a group is timed with, where one rank takes `alone` for one.
[[nodiscard]] std::size_t group_runs(Time alone, Time budget = std::chrono::milliseconds{100});

/// One member's part of a measurement: works at so many frames of noise, which all members begin together,
/// and gives what the slowest of them took: the median of the frames, of a stateful stage their mean. Every
/// member gets the same. Inputs are in the caches as for `profile`; the pieces that members exchange are in
/// the time, the redistribution of the frames is not.
[[nodiscard]] Time time_member(const Pipeline& pipeline, std::size_t stage, Group& group, std::size_t runs);

/// Adds the times of groups of up to so many ranks to what one rank takes, with threads of this process in
/// the place of ranks; of no more than there are cores.
void profile_groups(const Pipeline& pipeline, std::size_t ranks, std::vector<StageCost>& costs,
                    Time budget = std::chrono::milliseconds{100});

/// `profile`, with groups of up to as many as the pipeline's ranks, for a process that measures by itself: a
/// stage that hangs ends it (hang_watch.hpp).
[[nodiscard]] std::vector<StageCost> profile_with_groups(const Pipeline& pipeline,
                                                         const ProfileOptions& options = {});

}  // namespace takt::pipeline
