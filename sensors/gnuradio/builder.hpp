#pragma once
/// The packet format of GNU Radio's UDP sink for sources.

#include <cstdint>

#include "sensors/packets/assembler.hpp"
#include "sensors/packets/frame_builder.hpp"

namespace takt::sensors {

struct GnuradioUdpFormat {
  /// Samples are contiguous: `time` is the first axis except for axes of size 1. Its rate must be known.
  FrameType type;
  /// Bytes of samples in a datagram: whole samples, and a frame has a whole number of datagrams.
  std::size_t payload_bytes = 1472;
  /// Header type 1: each datagram begins with its number, 64 bits little-endian, from 1; type 0 has no
  /// number.
  bool has_sequence = true;
};

/// Throws OptionError.
void validate(const GnuradioUdpFormat& format);

/// Numbers reveal losses; datagrams without numbers close the gap. UTC is the receiver's time at number 1, or
/// at the first datagram, and advances by the rate. Missing samples are NaN, or zeros and flags. `source` is
/// the number of the source in the pipeline. Throws OptionError.
///
/// Source: GNU Radio, gr-network/lib/udp_sink_impl.cc.
[[nodiscard]] PacketFormat gnuradio_packets(const GnuradioUdpFormat& format, const Assembly& assembly,
                                            std::uint32_t source);

}  // namespace takt::sensors
