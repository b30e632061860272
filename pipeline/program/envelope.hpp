#pragma once
/// The first bytes of every message between ranks.

#include <cstddef>
#include <cstdint>

namespace takt::pipeline {

/// Says which frame a message belongs to and which of its parts are there.
struct Envelope {
  static constexpr std::size_t max_parts = 64;

  /// Number of the frame since the start of the run: both ends count, and must agree.
  std::uint64_t frame = 0;
  /// Bit i: part i of the channel is present (a kernel that gathers frames gives none for most).
  std::uint64_t present = 0;
  /// The stream is over: the last message of its channel, with what `finish` gave, if anything.
  std::uint64_t ended = 0;
  /// The end of the stream cut the source's frame off: when it came says nothing about the rate.
  std::uint64_t cut_off = 0;
};

}  // namespace takt::pipeline
