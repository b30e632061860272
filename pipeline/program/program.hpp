#pragma once
/// The program of one rank for each frame: the schedule, restricted to one processor and laid out in memory.

#include <cstdint>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/program/envelope.hpp"
#include "pipeline/tiles/tiled_run.hpp"

namespace takt::pipeline {

/// One message of the schedule, seen from one of its ends. All frames use the same layout in a channel: the
/// envelope, the header of each stage's output in it, then their elements, aligned to 64 bytes
/// (envelope.hpp).
struct ChannelPlan {
  struct Part {
    std::size_t stage = 0;
    std::size_t bytes = 0;
    /// Offsets of its header and its elements in a message.
    std::size_t header = 0;
    std::size_t elements = 0;
  };

  /// The other rank.
  int peer = 0;
  /// Distinguishes the channels between two ranks.
  int tag = 0;
  std::uint32_t instance = 0;
  std::vector<Part> parts;
  /// Size of the whole message, with room for a canary after the elements of each part (canary.hpp).
  std::size_t bytes = header_bytes;

  /// Adds a part for the output of this stage.
  void add(std::size_t stage, std::size_t part_bytes);
};

struct Step {
  OperationKind kind = OperationKind::compute;
  std::uint32_t instance = 0;
  /// Stage (compute) or channel (send: of `sends`, receive: of `receives`).
  std::size_t index = 0;
};

/// Steps that are executed together, tile by tile.
struct TiledSteps {
  /// The first step; one for each member.
  std::size_t first = 0;
  TileGroup group;
};

struct RankProgram {
  /// Successive frames that one pass through the steps handles.
  std::uint32_t instances = 1;
  std::vector<Step> steps;
  std::vector<ChannelPlan> sends;
  std::vector<ChannelPlan> receives;
  /// In the order of the steps.
  std::vector<TiledSteps> tiled;
  /// Steps whose outputs must not be overwritten before the last step, even after their last use.
  std::vector<std::size_t> lasting;
};

/// Returns the number of frames of an iteration that this rank handles in this stage.
[[nodiscard]] std::size_t instances_of(const RankProgram& program, std::size_t stage);

/// Returns true if the step needs the output of this stage for its own instance.
[[nodiscard]] bool needs(const Pipeline& pipeline, const RankProgram& program, const Step& step,
                         std::size_t stage);

/// Returns true if this step is one of `tiled`.
[[nodiscard]] bool is_tiled(const RankProgram& program, std::size_t step);

/// Finds consecutive steps that can be executed tile by tile: two or more of one group, and single steps of
/// stateful kernels that are tiled elsewhere on this rank, because their state is divided.
[[nodiscard]] std::vector<TiledSteps> find_tiled_steps(const Pipeline& pipeline, const RankProgram& program,
                                                       const Tiling& tiling);

/// Pure function without MPI. The graph is the pipeline's own task graph (one task for each stage); the
/// schedule must be valid for it. Throws ConfigError when a message would be too large.
[[nodiscard]] RankProgram make_program(const Pipeline& pipeline, const TaskGraph& graph,
                                       const Schedule& schedule, ProcessorId processor,
                                       const CacheSizes& caches = caches_of_this_host());

}  // namespace takt::pipeline
