#pragma once
/// Sends datagrams in batches; runs of one length and destination as a single message (GSO).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sensors/packets/packet_stream.hpp"

namespace takt::sensors {

struct Destination {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;

  [[nodiscard]] std::string to_string() const;
};

/// Parses `127.0.0.1:16130`, `[::1]:16130`, `station.example:16130`. Throws ConfigError.
[[nodiscard]] Destination parse_destination(const std::string& text);

class UdpSender final : public PacketOutlet {
 public:
  /// One destination per lane. Throws ConfigError for an unknown host, WorkError if no socket is available.
  explicit UdpSender(const std::vector<Destination>& destinations);
  ~UdpSender() override;

  /// Copies the packet into the batch and sends a full batch. Throws WorkError with the address and the
  /// system's reason.
  void put(const LanePacket& packet) override;
  /// Sends the pending packets.
  void flush() override;

  [[nodiscard]] std::uint64_t datagrams() const override;
  [[nodiscard]] std::uint64_t bytes() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
