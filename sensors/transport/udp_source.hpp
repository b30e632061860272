#pragma once
/// Packets of any format that come over UDP, one port a lane.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sensors/packets/frame_builder.hpp"
#include "sensors/source.hpp"
#include "sensors/transport/udp_options.hpp"

namespace takt::sensors {

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
  [[nodiscard]] std::unique_ptr<PacketCount> count_packets() const override;
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
