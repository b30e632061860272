#pragma once
/// A source of packets of any format over UDP, one port per lane.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sensors/packets/frame_builder.hpp"
#include "sensors/source.hpp"
#include "sensors/transport/udp_options.hpp"

namespace takt::sensors {

/// Receives on its own thread, so that a slow pipeline drops frames, which are counted, and not packets in
/// the kernel.
class UdpSource : public Source {
 public:
  /// Throws OptionError.
  UdpSource(UdpOptions options, PacketFormat format);
  ~UdpSource() override;

  [[nodiscard]] const FrameType& type() const override;
  /// Throws WorkError if a port cannot be opened now.
  void check() const override;
  [[nodiscard]] std::unique_ptr<PacketCount> count_packets() const override;
  /// Throws WorkError if a port cannot be opened. The source is receiving when it returns.
  void start() override;
  /// Throws WorkError if receiving failed or `start_timeout` passed, after all complete frames were polled.
  [[nodiscard]] SourceState poll(FrameView& frame) override;
  void release() override;
  [[nodiscard]] std::size_t least_pool() const override;
  void use_pool(const FramePool& pool) override;
  void wait(std::int64_t latest_ns) override;
  [[nodiscard]] bool is_cut_off() const override;
  [[nodiscard]] std::optional<Reception> reception() const override;
  /// Hands over the frames under assembly, incomplete or not.
  void stop() override;
  [[nodiscard]] SourceCounters counters() const override;

  [[nodiscard]] std::vector<std::string> warnings() const override;

  /// Returns the ports in use, after `start`.
  [[nodiscard]] std::vector<std::uint16_t> ports() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
