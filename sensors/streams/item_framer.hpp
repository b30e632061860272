#pragma once
/// Framing of an item stream that has no frames of its own.

#include <cstddef>
#include <cstdint>
#include <span>

#include "sensors/frames/counter.hpp"
#include "sensors/frames/frame_queue.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

/// Returns the number of samples per frame. The axes before `time` must have size 1, so that samples are
/// contiguous; throws OptionError (`axes`) otherwise.
[[nodiscard]] std::size_t stream_rows(const FrameType& type);

/// Returns the type with flags for missing samples of integer elements: FrameType::parts.
[[nodiscard]] FrameType with_sample_flags(FrameType type);

/// Divides a stream of samples with possible gaps into frames. UTC is the receiver's time at an epoch's first
/// piece, and advances by the rate. Missing samples are NaN, or zeros with flags.
class ItemFramer {
 public:
  /// The type is a result of with_sample_flags.
  ItemFramer(const FrameType& type, std::uint32_t source, FrameQueue& frames);

  /// Adds samples from this number on. An earlier number begins a new epoch (a restarted sender).
  void take(std::uint64_t first, std::span<const std::byte> samples, std::int64_t now_ns);
  /// Adds samples that follow the last ones.
  void take_next(std::span<const std::byte> samples, std::int64_t now_ns) { take(next_, samples, now_ns); }
  /// Hands over the unfinished frame.
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
  /// The unfinished frame; no slot if the queue was full.
  FrameSlot* slot_ = nullptr;
  bool is_open_ = false;
  std::size_t missing_ = 0;
  std::uint64_t mask_ = 0;
  Tally frames_done_, incomplete_, cut_off_, lost_, dropped_, samples_, samples_missing_, bytes_left_over_,
      restarts_;
};

}  // namespace takt::sensors
