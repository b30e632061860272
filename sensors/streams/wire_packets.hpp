#pragma once
/// The packet format of takt's own framing over UDP.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "sensors/packets/frame_builder.hpp"
#include "sensors/packets/packet_stream.hpp"
#include "sensors/streams/fragments.hpp"

namespace takt::sensors {

struct WirePacketOptions {
  FrameType type;
  /// Largest number of frame bytes per datagram.
  std::size_t payload_bytes = usual_fragment_bytes;
  /// Number of frames reassembled at a time.
  std::size_t window = 4;
  /// A longer step of the frames' numbers begins a new epoch.
  Time longest_gap{10'000'000'000};
  /// Number of the source in the pipeline, for the frame headers.
  std::uint32_t source = 0;
};

/// Frames larger than a datagram arrive in pieces. A frame with a missing piece is lost and counted. Throws
/// OptionError.
[[nodiscard]] PacketFormat wire_packets(const WirePacketOptions& options);

/// Returns the codec for captures of such a stream.
[[nodiscard]] std::unique_ptr<const PacketCodec> wire_codec();

}  // namespace takt::sensors
