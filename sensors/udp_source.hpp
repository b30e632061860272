#pragma once
/// Packets of any format that come over UDP, one port a lane.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "sensors/frame_builder.hpp"
#include "sensors/frame_queue.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

struct UdpOptions {
  /// Local address to receive on, and one port a lane; port 0 takes any free one (see LofarUdpSource::ports).
  /// The loopback takes what this computer sends; 0.0.0.0 what anybody does; a multicast group is joined.
  std::string address = "127.0.0.1";
  /// Name of the only network interface to receive on; empty: any.
  std::string interface;
  /// Addresses whose datagrams are taken; none: anybody's.
  std::vector<std::string> senders;
  std::vector<std::uint16_t> ports;
  /// Receive buffer asked of the kernel for each port. Below about 8 MiB a full station loses packets.
  Bytes socket_buffer{8u << 20};
  /// Complete frames that may wait for the pipeline, beside those being assembled, and what happens to the
  /// next one.
  std::size_t depth = 8;
  WhenFull when_full = WhenFull::drop;
  /// The stream is over when nothing good came for this long after the first good packet; 0: only `stop` ends
  /// it.
  Time idle_timeout{0};
  /// It is an error when no good packet came for this long after `start`; 0: wait for ever.
  Time start_timeout{0};
  /// Whether the kernel may hand over several datagrams as one (UDP_GRO), where it knows how to.
  bool coalesce = true;
  /// Processor to which the receiving thread is bound.
  std::optional<unsigned> core;
  /// Whether the kernel tells when each datagram came, for the counter `receive_delay_high_water`.
  bool timestamps = false;
};

/// Throws OptionError.
void validate(const UdpOptions& options, std::size_t largest_packet);

/// Receives on a thread of its own, so that a slow pipeline costs frames that are counted and not packets
/// that the kernel throws away.
class UdpSource : public Source {
 public:
  /// Throws OptionError.
  UdpSource(UdpOptions options, PacketFormat format);
  ~UdpSource() override;

  [[nodiscard]] const FrameType& type() const override;
  /// Throws WorkError when a port cannot be opened now.
  void check() const override;
  /// Throws WorkError when a port cannot be opened. Receiving has begun when it returns.
  void start() override;
  /// Throws WorkError when receiving failed or `start_timeout` passed, after all complete frames are taken.
  [[nodiscard]] SourceState poll(FrameView& frame) override;
  void release() override;
  [[nodiscard]] std::size_t least_pool() const override;
  void use_pool(const FramePool& pool) override;
  void wait(std::int64_t latest_ns) override;
  [[nodiscard]] bool is_cut_off() const override;
  [[nodiscard]] std::optional<Reception> reception() const override;
  /// Frames begun are handed over with what they have.
  void stop() override;
  [[nodiscard]] SourceCounters counters() const override;

  [[nodiscard]] std::vector<std::string> warnings() const override;

  /// The ports in use, after `start`.
  [[nodiscard]] std::vector<std::uint16_t> ports() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
