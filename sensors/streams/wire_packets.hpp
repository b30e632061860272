#pragma once
/// takt's own framing over UDP, as a source of datagrams sees it.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "sensors/packets/frame_builder.hpp"
#include "sensors/packets/packet_stream.hpp"
#include "sensors/streams/fragments.hpp"

namespace takt::sensors {

struct WirePacketOptions {
  FrameType type;
  /// The most bytes of a frame in a datagram.
  std::size_t payload_bytes = usual_fragment_bytes;
  /// Frames that are put together at a time.
  std::size_t window = 4;
  /// A longer step of the frames' numbers begins a new epoch.
  Time longest_gap{10'000'000'000};
  /// Number of the source in the pipeline, for the frames' headers.
  std::uint32_t source = 0;
};

/// Frames that are larger than a datagram come in pieces. One of which a piece is missing is lost, and
/// counted. Throws OptionError.
[[nodiscard]] PacketFormat wire_packets(const WirePacketOptions& options);

/// Of a capture of such a stream.
[[nodiscard]] std::unique_ptr<const PacketCodec> wire_codec();

}  // namespace takt::sensors
