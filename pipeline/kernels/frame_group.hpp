#pragma once
/// Groups frames for kernels that gather several of them into one.

#include <algorithm>

#include "sensors/frames/frame.hpp"

namespace takt::pipeline {

/// A group consists of `frames` successive frames of one epoch, from a multiple of that number on, whether or
/// not some are lost; a new epoch ends a group. Results are numbered by group, so that a lost group leaves a
/// gap, like a lost frame.
///
/// A call of a kernel outputs at most one frame. If a group becomes complete during the output of another
/// one, it waits for the next call, or the end, so that at most one group is ever stored.
class FrameGroup {
 public:
  explicit FrameGroup(std::size_t frames = 1) : frames_(frames) {}

  /// Frames of one result.
  [[nodiscard]] std::size_t frames() const { return frames_; }

  /// Returns the number of frames added since the last take().
  [[nodiscard]] std::size_t count() const { return count_; }

  /// Adds a frame. Calls `give` first if the frame ends the group before its own, then `add_data`, then
  /// `give` if that completes the group and there was no output yet. `give` must call take(). Returns true if
  /// `give` was called.
  template <class AddData, class Give>
  bool add(const sensors::FrameHeader& header, AddData add_data, Give give) {
    const bool ends_another =
        count_ > 0 && (header.sequence / frames_ != header_.sequence || header.epoch != header_.epoch);
    if (ends_another) give();
    add_data();
    add_header(header);
    const bool is_complete = header.sequence % frames_ == frames_ - 1;
    if (is_complete && !ends_another) give();
    return is_complete || ends_another;
  }

  /// Returns the header of the result: the first frame's time, the last one's `ingested_ns`, the sums of
  /// `combined`, `parts` and `missing_parts`. Starts a new group.
  sensors::FrameHeader take() {
    count_ = 0;
    return header_;
  }

 private:
  void add_header(const sensors::FrameHeader& header) {
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
      header_.missing_mask |= pieces(header.sequence % frames_);
  }

  /// Returns the bits of a frame's part of the group's time, which has 64 pieces, or one for each frame if
  /// that is less.
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
