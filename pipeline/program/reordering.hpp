#pragma once
/// The program of a rank to which the others send what they have made of the frames that they claimed
/// (runtime/sources/self_scheduling.hpp): what can be done with a frame at any time stands apart from what is
/// done with every frame in its turn.

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

  /// First the rank's own work with a frame, then, by instance, what it does with frames of other ranks, then
  /// what is left to do with its own. What its work makes lasts, since the other two come in any order.
  RankProgram program;
  /// Of one frame of this rank: its work with it, and what it does with it in its turn; nothing on a rank
  /// that only collects.
  std::optional<Part> work, rest;
  /// Of frames of other ranks, one for each instance of theirs.
  std::vector<Part> received;
  /// Stages of `work` whose outputs `rest` needs.
  std::vector<std::size_t> needed;
};

/// Whether a rank with this program may come to collect what others make of frames that are claimed: all of
/// them claim frames then.
[[nodiscard]] bool may_collect(const Pipeline& pipeline, const RankProgram& program);

/// Of a program that receives, and sends nothing. A frame is worked at out of its turn as far as nothing with
/// a state is needed. Pure; O(steps) beside finding the steps that are done tile by tile.
[[nodiscard]] ReorderProgram reorder_program(const Pipeline& pipeline, const RankProgram& program,
                                             const CacheSizes& caches = caches_of_this_host());

}  // namespace takt::pipeline
