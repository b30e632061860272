#pragma once
/// Blocks of frames and their assembly from other blocks: the redistribution of data between groups of ranks
/// of different sizes.

#include <memory>
#include <vector>

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

/// A part of a frame: a range of indices on each axis, stored contiguously like a frame of its
/// own.
using Box = std::vector<Block>;

[[nodiscard]] Box whole_frame(const FrameType& type);
/// Returns block `member` of `members` along an axis.
[[nodiscard]] Box box_of(const FrameType& type, std::size_t axis, std::size_t members, std::size_t member);
/// Returns the intersection; an empty box if there is none.
[[nodiscard]] Box intersection(const Box& a, const Box& b);

/// Returns the type of a part of a frame as a frame of its own.
[[nodiscard]] FrameType type_of(const FrameType& type, const Box& box);

/// Copies the intersection of two boxes of a frame from one to the other, in the longest possible runs; the
/// axes may differ.
class BoxCopy {
 public:
  /// `element`: bytes of one element.
  BoxCopy(const Box& from, const Box& to, std::size_t element);
  void run(const std::byte* from, std::byte* to) const { copy(0, from + from_, to + to_); }

 private:
  /// One axis: the number of indices, and the bytes between them on both sides.
  struct Loop {
    std::size_t count, from, to;
  };
  void copy(std::size_t depth, const std::byte* from, std::byte* to) const;

  std::vector<Loop> loops_;
  std::size_t from_ = 0, to_ = 0, run_ = 0;
};

/// Makes a box of frames from other boxes of the same frames, one for each input, which cover it.
[[nodiscard]] std::unique_ptr<Kernel> redistribution_kernel(const FrameType& frame, const Box& wanted,
                                                            const std::vector<Box>& pieces);

}  // namespace takt::pipeline
