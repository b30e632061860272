#pragma once
/// Datagrams to UDP addresses, many with one call, and those of one length and destination as one (GSO).

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

/// `127.0.0.1:16130`, `[::1]:16130`, `station.example:16130`. Throws ConfigError.
[[nodiscard]] Destination parse_destination(const std::string& text);

class UdpSender final : public PacketOutlet {
 public:
  /// One destination a lane. Throws ConfigError when a host is not known, WorkError when there is no socket.
  explicit UdpSender(const std::vector<Destination>& destinations);
  ~UdpSender() override;

  /// Copies the packet into the batch and sends the batch when it is full. Throws WorkError with the address
  /// and the system's reason.
  void put(const LanePacket& packet) override;
  /// Sends what was put.
  void flush() override;

  [[nodiscard]] std::uint64_t datagrams() const override;
  [[nodiscard]] std::uint64_t bytes() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
