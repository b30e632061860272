#pragma once
/// Blocks of frames, and how they are put together from other blocks: the redistribution of data between
/// groups of ranks of different sizes.

#include <memory>
#include <vector>

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

/// A part of a frame: of each of its axes the indices that are in it, one behind the other in memory like a
/// frame of its own.
using Box = std::vector<Block>;

[[nodiscard]] Box whole_frame(const FrameType& type);
/// Block `member` of so many along an axis.
[[nodiscard]] Box box_of(const FrameType& type, std::size_t axis, std::size_t members, std::size_t member);
/// What is in both; an empty box where nothing is.
[[nodiscard]] Box intersection(const Box& a, const Box& b);

/// Type of a part of a frame as a frame of its own.
[[nodiscard]] FrameType type_of(const FrameType& type, const Box& box);

/// Copies what two boxes of a frame have in common from one to the other. In runs that are as long as both
/// allow; the axes need not be the same.
class BoxCopy {
 public:
  /// `element` is the size of one.
  BoxCopy(const Box& from, const Box& to, std::size_t element);
  void run(const std::byte* from, std::byte* to) const { copy(0, from + from_, to + to_); }

 private:
  /// Of one axis: how many indices, and bytes between them on both sides.
  struct Loop {
    std::size_t count, from, to;
  };
  void copy(std::size_t depth, const std::byte* from, std::byte* to) const;

  std::vector<Loop> loops_;
  std::size_t from_ = 0, to_ = 0, run_ = 0;
};

/// Makes a box of frames from other boxes of the same frames, one an input, which cover it.
[[nodiscard]] std::unique_ptr<Kernel> redistribution_kernel(const FrameType& frame, const Box& wanted,
                                                            const std::vector<Box>& pieces);

}  // namespace takt::pipeline
