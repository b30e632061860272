#pragma once
/// What kernels lose where a large frame is handed from one core to another one: the one that reads it, since
/// it lies in the other core's cache or in none; the one that makes it, since its stores wait for lines that
/// the reader still has, and what it would have handed on in tiles goes into memory.
///
/// Both depend on the kernel: one that computes long for each line hides what a bare copy waits for, and one
/// that takes its input by long strides loses several times as much (docs/decisions/0137).

#include <cstddef>
#include <optional>
#include <vector>

#include "pipeline/profiling/loop_memory.hpp"
#include "pipeline/profiling/sample_frames.hpp"
#include "pipeline/profiling/stage_cost.hpp"
#include "pipeline/tiles/tiled_run.hpp"
#include "pipeline/tiles/tiling.hpp"

namespace takt::pipeline {

/// Smaller ones cost what links were measured with.
inline constexpr Bytes least_priced{128 << 10};

/// Of a group of kernels that hand each other tiles, what is left of it on the rank of this member where its
/// input comes from another rank: the member and those behind it.
[[nodiscard]] TileGroup branch_from(const Pipeline& pipeline, const TileGroup& group, std::size_t stage);
/// What is left of it where the member's output goes to another rank: all but those behind it.
[[nodiscard]] TileGroup trunk_to(const TileGroup& group, std::size_t stage);

/// Adds to each kernel that has inputs, or an output, of `least_priced` and more, but no more than the
/// largest cache, what it loses: its calls with messages from and to another core, by turns with those in the
/// rank's own memory, for about this budget each. Outputs get there in each way that a run has
/// (program/way.hpp); what counts is the one that a run would choose, and readers have their inputs as the
/// kernels that make them would leave them. Adds nothing where this process has one processor only, or
/// no cache is known.
void measure_boundaries(const Pipeline& pipeline, const Tiling& tiling, LoopMemory& memory,
                        const SampleFrames& samples, Time budget, std::vector<StageCost>& costs);

}  // namespace takt::pipeline
