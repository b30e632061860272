#pragma once
/// Which frames become one, for kernels that gather several of them.

#include <algorithm>

#include "sensors/frame.hpp"

namespace takt::pipeline {

/// Frames belong together by their number: `frames` successive ones from a multiple of it on, whether they
/// all come or some are lost. The group's result is numbered by groups, so that a lost group leaves a hole,
/// as a lost frame does.
///
/// A kernel asks, for each frame, first whether the frame ends the group before it (is_over), then adds it:
///   if (group.is_over(header)) give the result of the group before;
///   take the data in;
///   if (group.add(header) and nothing was given yet) give the result of this group.
/// One call of a kernel gives one frame at most; a group that is complete when another one is given waits for
/// the next call, or the end. So no more than one group is ever held.
class FrameGroup {
 public:
  explicit FrameGroup(std::size_t frames = 1) : frames_(frames) {}

  /// Frames that were added and not taken.
  [[nodiscard]] std::size_t count() const { return count_; }

  /// Whether there is a group to be given before this frame is added.
  [[nodiscard]] bool is_over(const sensors::FrameHeader& next) const {
    return count_ > 0 && next.sequence / frames_ != header_.sequence;
  }

  /// Takes a frame in; whether it is the last of its group.
  bool add(const sensors::FrameHeader& header) {
    const std::uint64_t position = header.sequence % frames_;
    if (count_++ == 0) {
      header_ = header;
      header_.sequence /= frames_;
      header_.missing_mask = 0;
    } else {
      header_.ingested_ns = std::max(header_.ingested_ns, header.ingested_ns);
      header_.combined += header.combined;
      header_.parts += header.parts;
      header_.missing_parts += header.missing_parts;
    }
    if (frames_ == 1)
      header_.missing_mask = header.missing_mask;
    else if (header.missing_parts > 0)
      header_.missing_mask |= pieces(position);
    return position == frames_ - 1;
  }

  /// The header of the result: the first frame's time, the last one's `ingested_ns`, the sums of `combined`,
  /// `parts` and `missing_parts`. Begins anew.
  sensors::FrameHeader take() {
    count_ = 0;
    return header_;
  }

 private:
  /// The bits that stand for a frame's part of the group's time, which has 64 pieces or, if less, one a
  /// frame.
  [[nodiscard]] std::uint64_t pieces(std::uint64_t position) const {
    const std::uint64_t count = std::min<std::uint64_t>(frames_, 64);
    const std::uint64_t first = position * count / frames_;
    const std::uint64_t last = ((position + 1) * count - 1) / frames_;
    return (std::uint64_t{2} << last) - (std::uint64_t{1} << first);
  }

  std::uint64_t frames_;
  std::size_t count_ = 0;
  sensors::FrameHeader header_;
};

}  // namespace takt::pipeline
