#pragma once
/// Recorded packets of a LOFAR station: raw packets one after the other, one file a lane.

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

/// Reads the lanes side by side in the order of the packets' times, which is the order in which they were
/// sent.
class LofarRecording final : public PacketStream {
 public:
  /// Opens the files. Throws ConfigError when one cannot be read, is empty, or does not begin with a packet,
  /// and when their packets differ in clock, bits or beamlets.
  explicit LofarRecording(const std::vector<std::filesystem::path>& files);
  ~LofarRecording() override;

  /// Lanes, clock, bits, beamlets and station of the first packets. It has no subbands and one packet a
  /// frame.
  [[nodiscard]] const LofarFormat& format() const { return format_; }
  [[nodiscard]] const PacketCodec& codec() const override { return *codec_; }

  /// The last piece of a file may be shorter than a packet; so are pieces between packets, where the file has
  /// lost its framing (bytes were added or lost), from which on the next packet with another one behind it is
  /// looked for. Throws WorkError when reading fails.
  [[nodiscard]] std::optional<LanePacket> next() override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  class Lane;
  LofarFormat format_;
  std::optional<LofarCodec> codec_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  /// The lane of the packet shown last, which is still to be passed over.
  Lane* shown_ = nullptr;
};

}  // namespace takt::sensors
