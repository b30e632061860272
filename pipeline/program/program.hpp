#pragma once
/// What one rank does with every frame: the schedule, cut down to one processor and laid out in memory.

#include <cstdint>
#include <vector>

#include "core/schedule.hpp"
#include "core/task_graph.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/program/envelope.hpp"

namespace takt::pipeline {

/// One message of the schedule, seen from one of its ends. Every frame goes through a channel in the same
/// layout: the envelope, the header of each stage's output that it carries, then their elements, aligned to
/// 64 bytes (envelope.hpp).
struct ChannelPlan {
  struct Part {
    std::size_t stage = 0;
    std::size_t bytes = 0;
    /// Where its header and its elements are in a message.
    std::size_t header = 0;
    std::size_t elements = 0;
  };

  /// The other rank.
  int peer = 0;
  /// Tells the channels between two ranks apart.
  int tag = 0;
  std::uint32_t instance = 0;
  std::vector<Part> parts;
  /// Size of the whole message.
  std::size_t bytes = header_bytes;

  /// Another part, for the output of this stage.
  void add(std::size_t stage, std::size_t part_bytes);
};

struct Step {
  OperationKind kind = OperationKind::compute;
  std::uint32_t instance = 0;
  /// Stage (compute) or channel (send: of `sends`, receive: of `receives`).
  std::size_t index = 0;
};

struct RankProgram {
  /// Successive frames that one pass through the steps handles.
  std::uint32_t instances = 1;
  std::vector<Step> steps;
  std::vector<ChannelPlan> sends;
  std::vector<ChannelPlan> receives;
};

/// Pure: no MPI. The graph is the pipeline's own task graph (a task a stage); the schedule must be valid for
/// it. Throws ConfigError when a message would be too large.
[[nodiscard]] RankProgram make_program(const Pipeline& pipeline, const TaskGraph& graph,
                                       const Schedule& schedule, ProcessorId processor);

}  // namespace takt::pipeline
