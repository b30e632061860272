#pragma once
/// Frames of a stream of items that has no frames of its own.

#include <cstddef>
#include <cstdint>
#include <span>

#include "sensors/frames/counter.hpp"
#include "sensors/frames/frame_queue.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

/// Where the time of a frame's type lies: axes before `time` have size 1, so that samples lie one after the
/// other. Throws OptionError (`axes`) where they do not. The number of samples in a frame.
[[nodiscard]] std::size_t stream_rows(const FrameType& type);

/// Lets missing samples be flagged where elements are integers: FrameType::parts.
[[nodiscard]] FrameType with_sample_flags(FrameType type);

/// Cuts a stream of samples, of which pieces may be missing, into frames. UTC is the receiver's, when the
/// first piece of an epoch came, and goes on by the rate. What is missing is NaN, or zeros and flags.
class ItemFramer {
 public:
  /// The type is with_sample_flags.
  ItemFramer(const FrameType& type, std::uint32_t source, FrameQueue& frames);

  /// Samples from this number on. One before those that came begins a new epoch: the sender began anew.
  void take(std::uint64_t first, std::span<const std::byte> samples, std::int64_t now_ns);
  /// Samples behind those that came last.
  void take_next(std::span<const std::byte> samples, std::int64_t now_ns) { take(next_, samples, now_ns); }
  /// Hands over the frame that is begun.
  void finish(std::int64_t now_ns);

  [[nodiscard]] std::size_t sample_bytes() const { return row_; }
  [[nodiscard]] SourceCounters counters() const;

 private:
  void begin(std::uint64_t first);
  void skip_to(std::uint64_t sample, std::int64_t now_ns);
  void close(bool at_end, std::int64_t now_ns);
  void mark_missing(std::size_t from, std::size_t to);

  const FrameType type_;
  const std::size_t rows_, row_;
  const std::uint16_t source_;
  FrameQueue& frames_;
  bool begun_ = false;
  std::uint64_t next_ = 0, origin_ = 0;
  std::uint16_t epoch_ = 0;
  std::int64_t utc_ns_ = 0;
  /// The frame that is begun; no slot where there was no room.
  FrameSlot* slot_ = nullptr;
  bool is_open_ = false;
  std::size_t missing_ = 0;
  std::uint64_t mask_ = 0;
  Tally frames_done_, incomplete_, cut_off_, lost_, dropped_, samples_, samples_missing_, bytes_left_over_,
      restarts_;
};

}  // namespace takt::sensors
