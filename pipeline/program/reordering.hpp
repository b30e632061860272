#pragma once
/// The program of a rank that reorders the self-scheduled frames of other ranks
/// (runtime/sources/self_scheduling.hpp): work in any order is separate from work in the order of the
/// frames.

#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/program/program.hpp"

namespace takt::pipeline {

struct ReorderProgram {
  /// Steps `first` to `last - 1` of the program, all of one instance.
  struct Part {
    std::uint32_t instance = 0;
    std::size_t first = 0, last = 0;
  };

  /// First the rank's own work on a frame, then, by instance, the processing of other ranks' frames, then the
  /// rest for its own frames. Outputs of its work are kept, because the other two follow in any order.
  RankProgram program;
  /// For one frame of this rank: its work, and the rest in the order of frames; nothing on a rank that only
  /// reorders.
  std::optional<Part> work, rest;
  /// For frames of other ranks, one for each of their instances.
  std::vector<Part> received;
  /// Stages of `work` whose outputs `rest` needs.
  std::vector<std::size_t> needed;
};

/// Returns true if a rank with this program may reorder self-scheduled frames of other ranks; then all of
/// them self-schedule.
[[nodiscard]] bool may_reorder(const Pipeline& pipeline, const RankProgram& program);

/// Makes the program of a rank that receives and sends nothing. A frame is processed out of order up to the
/// first stateful stage. Pure; O(steps) plus the search for tiled steps.
[[nodiscard]] ReorderProgram reorder_program(const Pipeline& pipeline, const RankProgram& program,
                                             Bytes cache = cache_of_a_core());

}  // namespace takt::pipeline
