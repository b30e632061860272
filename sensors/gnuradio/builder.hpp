#pragma once
/// Datagrams of GNU Radio's UDP sink, as a source sees them.

#include <cstdint>

#include "sensors/packets/assembler.hpp"
#include "sensors/packets/frame_builder.hpp"

namespace takt::sensors {

struct GnuradioUdpFormat {
  /// Samples lie one after the other: `time` comes first but for axes of size 1. Its rate must be known.
  FrameType type;
  /// Bytes of samples in a datagram: whole samples, and a frame has a whole number of datagrams.
  std::size_t payload_bytes = 1472;
  /// Header type 1: each datagram begins with its number, 64 bits little-endian, from 1; of type 0 it has
  /// none.
  bool has_sequence = true;
};

/// Throws OptionError.
void validate(const GnuradioUdpFormat& format);

/// Numbers tell what is lost; datagrams without them close up. UTC is the receiver's, when number 1, or the
/// first datagram, came, and goes on by the rate. Missing samples are NaN, or zeros and flags. `source` is
/// the number of the source in the pipeline. Throws OptionError.
///
/// Source: GNU Radio, gr-network/lib/udp_sink_impl.cc.
[[nodiscard]] PacketFormat gnuradio_packets(const GnuradioUdpFormat& format, const Assembly& assembly,
                                            std::uint32_t source);

}  // namespace takt::sensors
