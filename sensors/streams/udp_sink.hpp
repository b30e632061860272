#pragma once
/// A sink of frames to a UDP address, in takt's framing.

#include <cstdint>
#include <optional>
#include <vector>

#include "sensors/sink.hpp"
#include "sensors/streams/fragments.hpp"
#include "sensors/streams/wire.hpp"
#include "sensors/transport/udp_sender.hpp"

namespace takt::sensors {

struct UdpSinkOptions {
  Destination to;
  /// Largest number of frame bytes per datagram.
  std::size_t payload_bytes = usual_fragment_bytes;
};

/// Sends the datagrams of a frame back to back. Datagrams without a receiver are lost, without back-pressure.
/// The end of the stream is sent three times.
class UdpSink final : public Sink {
 public:
  /// Throws OptionError.
  UdpSink(const UdpSinkOptions& options, const FrameType& type);

  /// Throws ConfigError for an unknown host.
  void open() override;
  void write(const FrameView& frame) override;
  void close() override;
  [[nodiscard]] std::string location() const override;
  [[nodiscard]] std::vector<Counter> counters() const override;

 private:
  void send();

  const UdpSinkOptions options_;
  const WireEncoder encoder_;
  std::optional<UdpSender> sender_;
  std::uint32_t stream_ = 0;
  std::uint64_t number_ = 0;
  std::vector<std::byte> message_, datagram_;
  Tally sent_;
};

}  // namespace takt::sensors
