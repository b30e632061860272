#pragma once
/// A sink of VDIF packets to a UDP address.

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

/// Frames as VdifPacketizer converts them, one packet per datagram; the packets of a frame are sent back to
/// back. Datagrams without a receiver are lost, without back-pressure.
class VdifUdpSink final : public Sink {
 public:
  /// Throws ConfigError with the reason if frames of this type cannot be sent.
  VdifUdpSink(const VdifUdpSinkOptions& options, const FrameType& type);

  /// Throws ConfigError for an unknown host.
  void open() override;
  void write(const FrameView& frame) override;
  void close() override {}
  /// Continues the packet numbers; repeated frames are sent twice.
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override;
  void resume(std::span<const std::byte> state) override;
  [[nodiscard]] std::string location() const override;
  /// Counts the datagrams sent, and those marked as invalid.
  [[nodiscard]] std::vector<Counter> counters() const override;

 private:
  const VdifUdpSinkOptions options_;
  VdifPacketizer packetizer_;
  std::optional<UdpSender> sender_;
  std::uint64_t number_ = 0;
  std::vector<std::byte> packet_;
};

}  // namespace takt::sensors
