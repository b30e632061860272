#pragma once
/// Recordings of a LOFAR station: raw packets one after the other, one file per lane.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "sensors/lofar/codec.hpp"
#include "sensors/lofar/format.hpp"
#include "sensors/packets/packet_stream.hpp"

namespace takt::sensors {

/// Merges the lanes in the order of the packets' times, which is their sending
/// order.
class LofarRecording final : public PacketStream {
 public:
  /// Opens the files. Throws ConfigError if one is not readable, is empty, or does not begin with a packet,
  /// and if their packets differ in clock, bits or beamlets.
  explicit LofarRecording(const std::vector<std::filesystem::path>& files);
  ~LofarRecording() override;

  /// Returns lanes, clock, bits, beamlets and station of the first packets; no subbands, and one packet per
  /// frame.
  [[nodiscard]] const LofarFormat& format() const { return format_; }
  [[nodiscard]] const PacketCodec& codec() const override { return *codec_; }

  /// The last piece of a file may be shorter than a packet; so may bytes outside packets, if the file has
  /// lost its framing (bytes were added or lost), up to the next packet with a valid successor. Throws
  /// WorkError if reading fails.
  [[nodiscard]] std::optional<LanePacket> next() override;
  [[nodiscard]] const std::filesystem::path& file() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  class Lane;
  LofarFormat format_;
  std::optional<LofarCodec> codec_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  /// The lane of the last returned packet, which is still to be skipped.
  Lane* shown_ = nullptr;
};

}  // namespace takt::sensors
