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
  /// Messages that must fit between both ends, so that no rank of a pipelined schedule waits for room that
  /// another one makes only after it: the iterations from the first data of a message to their last use at
  /// either end, plus one.
  std::size_t least_depth = 1;
  /// At the receiver: iterations for which it keeps a message after that of the receive.
  std::uint32_t kept = 0;

  /// Adds a part for the output of this stage.
  void add(std::size_t stage, std::size_t part_bytes);
};

struct Step {
  OperationKind kind = OperationKind::compute;
  std::uint32_t instance = 0;
  /// Stage (compute) or channel (send: of `sends`, receive: of `receives`).
  std::size_t index = 0;
  /// Iteration i of the rank does this step for the frames of iteration i - offset (core/offsets.hpp). 0 for
  /// the first steps of a frame on this rank, and for all steps unless the schedule is pipelined.
  std::uint32_t offset = 0;
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
  /// Copies of each output, used in turn: some step still needs an output when later iterations make the
  /// next ones. 1 unless the schedule is pipelined.
  std::uint32_t phases = 1;
  std::vector<Step> steps;
  std::vector<ChannelPlan> sends;
  std::vector<ChannelPlan> receives;
  /// In the order of the steps.
  std::vector<TiledSteps> tiled;
  /// Stages whose state travels (Schedule::travelling), the same on all ranks. `has_last`: this rank has the
  /// last instance, and therefore the state after an iteration.
  struct Travelling {
    std::size_t stage = 0;
    bool has_last = false;
  };
  std::vector<Travelling> travelling;
  /// Steps whose outputs must not be overwritten before the last step, even after their last use.
  std::vector<std::size_t> lasting;
};

/// Returns the number of frames of an iteration that this rank handles in this stage.
[[nodiscard]] std::size_t instances_of(const RankProgram& program, std::size_t stage);

/// Returns true if the step needs the output of this stage for its own instance.
[[nodiscard]] bool needs(const Pipeline& pipeline, const RankProgram& program, const Step& step,
                         std::size_t stage);

/// Returns the largest offset: so many iterations fill the pipeline of this rank, and drain it.
[[nodiscard]] std::uint32_t largest_offset(const RankProgram& program);

/// Returns true if the second step is of the same frame as the first, and later.
[[nodiscard]] inline bool is_later(const RankProgram& program, std::size_t step, std::size_t other) {
  const Step &a = program.steps[step], &b = program.steps[other];
  return a.instance == b.instance && (a.offset == b.offset ? step < other : a.offset < b.offset);
}

/// Returns how many steps of the rank a step comes after an earlier one of the same frame.
[[nodiscard]] inline std::size_t steps_between(const RankProgram& program, std::size_t earlier,
                                               std::size_t later) {
  return (program.steps[later].offset - program.steps[earlier].offset) * program.steps.size() + later -
         earlier;
}

/// Returns true if this step is one of `tiled`.
[[nodiscard]] bool is_tiled(const RankProgram& program, std::size_t step);

/// Finds consecutive steps that can be executed tile by tile: two or more of one group, and single steps of
/// stateful kernels that are tiled elsewhere on this rank, because their state is divided.
[[nodiscard]] std::vector<TiledSteps> find_tiled_steps(const Pipeline& pipeline, const RankProgram& program,
                                                       const Tiling& tiling);

/// Pure function without MPI. The graph is the pipeline's own task graph (one task for each stage); the
/// schedule must be valid for it. The steps of a pipelined schedule are in the order of iteration_orders.
/// Throws ConfigError when a message would be too large.
[[nodiscard]] RankProgram make_program(const Pipeline& pipeline, const TaskGraph& graph,
                                       const Schedule& schedule, ProcessorId processor,
                                       Bytes cache = cache_of_a_core());

}  // namespace takt::pipeline
