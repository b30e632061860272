#pragma once
/// VDIF packets to a UDP address.

#include <cstdint>
#include <optional>
#include <vector>

#include "sensors/sink.hpp"
#include "sensors/transport/udp_sender.hpp"
#include "sensors/vdif/packetizer.hpp"

namespace takt::sensors {

struct VdifUdpSinkOptions {
  VdifPacketOptions packets;
  Destination to;
  /// Whether each packet begins with its number, 64 bits (VTP).
  bool has_sequence = false;
};

/// Frames as VdifPacketizer takes and makes them, a datagram each; all packets of a frame at once. Whoever
/// listens gets them; what nobody takes is lost, and nobody is held up.
class VdifUdpSink final : public Sink {
 public:
  /// Throws ConfigError when frames of this type cannot be sent, with the reason.
  VdifUdpSink(const VdifUdpSinkOptions& options, const FrameType& type);

  /// Throws ConfigError when the host is not known.
  void open() override;
  void write(const FrameView& frame) override;
  void close() override {}
  /// Packets go on with their numbers; what is sent again is sent twice.
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override;
  void resume(std::span<const std::byte> state) override;
  [[nodiscard]] std::string location() const override;
  /// Datagrams sent, those marked as invalid.
  [[nodiscard]] std::vector<Counter> counters() const override;

 private:
  const VdifUdpSinkOptions options_;
  VdifPacketizer packetizer_;
  std::optional<UdpSender> sender_;
  std::uint64_t number_ = 0;
  std::vector<std::byte> packet_;
};

}  // namespace takt::sensors
