#pragma once
/// Defines the first bytes of every message between ranks.

#include <cstddef>
#include <cstdint>

#include "sensors/frames/frame.hpp"

namespace takt::pipeline {

/// Identifies the frame of a message and the parts present. The headers of the parts follow, then their
/// elements.
struct Envelope {
  static constexpr std::size_t max_parts = 64;

  /// Number of the frame since the start of the run; sender and receiver count it, and must agree.
  std::uint64_t frame = 0;
  /// Bit i: part i of the channel is present (a kernel that gathers frames has output for few of them).
  std::uint64_t present = 0;
  /// Bit i: part i has ended. In the last message of a channel all are set; it may follow the source's last
  /// frame by several iterations, with the output of flushed kernels (Kernel::finish).
  std::uint64_t ended = 0;
  /// The source had ended before this frame.
  std::uint64_t after_end = 0;
  /// The end of the stream truncated the source's frame: its time does not count for the rate.
  std::uint64_t cut_off = 0;
  /// The stream is only paused, and kernels keep their state.
  std::uint64_t paused = 0;
  /// Time of sending, or shortly before (now_ns of its sender).
  std::int64_t sent_ns = 0;
  /// Processor of its sender at that time, on the sender's host.
  std::int64_t processor = 0;
};

/// One part of a message: the frame's header, and the place of its elements.
struct PartHeader {
  sensors::FrameHeader header;
  /// Offset from the beginning of this header in bytes; may point outside the message into other memory of
  /// its sender, if both ends share it.
  std::int64_t elements = 0;
};

/// Envelope and headers occupy whole cache lines, so that elements stay aligned.
inline constexpr std::size_t header_bytes = 128;
static_assert(sizeof(Envelope) <= header_bytes && sizeof(PartHeader) <= header_bytes);

}  // namespace takt::pipeline
