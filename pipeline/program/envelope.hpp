#pragma once
/// The first bytes of every message between ranks.

#include <cstddef>
#include <cstdint>

#include "sensors/frames/frame.hpp"

namespace takt::pipeline {

/// Says which frame a message belongs to and which of its parts are there. Behind it come the headers of its
/// parts, behind these their elements.
struct Envelope {
  static constexpr std::size_t max_parts = 64;

  /// Number of the frame since the start of the run: both ends count, and must agree.
  std::uint64_t frame = 0;
  /// Bit i: part i of the channel is present (a kernel that gathers frames gives none for most).
  std::uint64_t present = 0;
  /// Bit i: nothing more will come of part i. The last message of a channel is that in which all are set; it
  /// may come some rounds after the source's last frame, with what kernels give then (Kernel::finish).
  std::uint64_t ended = 0;
  /// The source had no frame any more for this one.
  std::uint64_t after_end = 0;
  /// The end of the stream cut the source's frame off: when it came says nothing about the rate.
  std::uint64_t cut_off = 0;
  /// The stream has not ended: it is only paused, and kernels keep what they have.
  std::uint64_t paused = 0;
  /// When it was sent, or shortly before (now_ns of its sender).
  std::int64_t sent_ns = 0;
  /// On which its sender ran then, of the sender's host.
  std::int64_t processor = 0;
};

/// One part of a message: the frame's header, and where its elements are.
struct PartHeader {
  sensors::FrameHeader header;
  /// From the beginning of this header, in bytes; may lead out of the message into other memory of its
  /// sender, where both ends share that.
  std::int64_t elements = 0;
};

/// Envelope and headers take whole cache lines, so that elements stay aligned.
inline constexpr std::size_t header_bytes = 128;
static_assert(sizeof(Envelope) <= header_bytes && sizeof(PartHeader) <= header_bytes);

}  // namespace takt::pipeline
