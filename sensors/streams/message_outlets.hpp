#pragma once
/// Outlets of an emulator for whole messages: TCP, ZeroMQ. They drop nothing and wait for slow receivers.

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <zmq.hpp>

#include "sensors/packets/packet_stream.hpp"
#include "sensors/transport/tcp_listener.hpp"

namespace takt::sensors {

/// Sends to all connected receivers.
class TcpOutlet final : public PacketOutlet {
 public:
  /// Stops waiting when `stop` is set, which must outlive the object. Throws ConfigError and WorkError.
  TcpOutlet(const std::string& address, std::uint16_t port, const std::atomic<bool>& stop)
      : stop_(stop), listener_(address, port) {}
  ~TcpOutlet() override;
  TcpOutlet(const TcpOutlet&) = delete;
  TcpOutlet& operator=(const TcpOutlet&) = delete;

  void wait_for_receivers(std::size_t receivers);
  void put(const LanePacket& packet) override;
  void flush() override {}
  /// Waits until receivers have everything; at most a minute.
  void finish();

  [[nodiscard]] std::uint16_t port() const { return listener_.port(); }
  [[nodiscard]] std::uint64_t datagrams() const override { return put_; }
  [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }

 private:
  void look_around();
  /// Returns whether everything was sent.
  [[nodiscard]] bool send(int socket, std::span<const std::byte> bytes) const;

  const std::atomic<bool>& stop_;
  const TcpListener listener_;
  std::vector<int> receivers_;
  std::uint64_t put_ = 0, bytes_ = 0;
};

/// A bound ZeroMQ socket: PUSH (each message to one receiver) or PUB (to all subscribers).
class ZmqOutlet final : public PacketOutlet {
 public:
  /// `endpoint` as in ZmqOptions. Stops waiting when `stop` is set; it must outlive this. Throws WorkError.
  ZmqOutlet(const std::string& endpoint, bool is_to_all, const std::atomic<bool>& stop);

  /// For PUB: waits for this number of subscribers.
  void wait_for_receivers(std::size_t receivers);
  void put(const LanePacket& packet) override;
  void flush() override {}

  [[nodiscard]] std::uint64_t datagrams() const override { return put_; }
  [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }

 private:
  void receive_subscriptions(zmq::recv_flags flags);

  const std::atomic<bool>& stop_;
  const bool is_to_all_;
  std::size_t subscribers_ = 0;
  zmq::context_t context_{1};
  zmq::socket_t socket_;
  std::uint64_t put_ = 0, bytes_ = 0;
};

}  // namespace takt::sensors
