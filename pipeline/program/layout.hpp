#pragma once
/// Where a rank's outputs lie in memory.

#include <cstddef>
#include <optional>
#include <vector>

#include "pipeline/program/program.hpp"

namespace takt::pipeline {

/// Of the output of one stage for one instance: in the next message of a channel, so that sending it copies
/// nothing, or in a place of the rank's own memory.
struct Home {
  /// Index of a channel of `sends`, and the part's offset in its message.
  std::optional<std::size_t> channel;
  std::size_t offset = 0;
  /// Otherwise one of Layout::places.
  std::size_t place = 0;
};

/// Pure, like the program that it is made from.
struct Layout {
  /// By instance, then by stage; nothing where the rank makes no such output, or a source lends its own.
  std::vector<std::optional<Home>> homes;
  /// Places for outputs that stay on the rank, shared one after the other (shared_places.hpp), each as large
  /// as the pipeline's largest frame.
  std::size_t places = 0;
  Bytes place_size;
};

[[nodiscard]] Layout lay_out(const Pipeline& pipeline, const RankProgram& program);

/// Whether a source's frame is copied, because several of them are at work at once and a source lends one.
[[nodiscard]] bool keeps_frames(const Pipeline& pipeline, const RankProgram& program, std::size_t stage);

/// What the rank allocates for frames: its places and the windows of its channels. What sources and kernels
/// hold for themselves comes on top.
[[nodiscard]] Bytes memory_of(const Pipeline& pipeline, const RankProgram& program);

}  // namespace takt::pipeline
