#include "sensors/lofar_udp_source.hpp"

#include <fmt/format.h>

#include "sensors/lofar_assembler.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

class LofarBuilder final : public FrameBuilder {
 public:
  LofarBuilder(const LofarUdpOptions& options, FrameQueue& frames)
      : lanes_(options.format.lanes), assembler_(options.format, options.assembly, options.source, frames) {}

  bool take(std::size_t lane, std::span<const std::byte> datagram, std::int64_t now_ns) override {
    return assembler_.take(lane, datagram, now_ns) == LofarVerdict::good;
  }
  void finish(std::int64_t now_ns) override { assembler_.finish(now_ns); }
  [[nodiscard]] SourceCounters counters() const override { return assembler_.counts().report(lanes_); }
  [[nodiscard]] std::vector<std::string> warnings(const std::vector<std::string>& lanes) const override {
    return assembler_.counts().warnings(lanes);
  }

 private:
  std::size_t lanes_;
  LofarAssembler assembler_;
};

PacketFormat packet_format(const LofarUdpOptions& options) {
  validate(options);
  return {.name = "LOFAR",
          .type = lofar_frame_type(options.format),
          .largest_packet = options.format.packet_bytes(),
          .open_frames = LofarAssembler::open_frames(options.format, options.assembly),
          .make_builder = [options](FrameQueue& frames) -> std::unique_ptr<FrameBuilder> {
            return std::make_unique<LofarBuilder>(options, frames);
          }};
}

}  // namespace

void validate(const LofarUdpOptions& options) {
  if (options.ports.size() != options.format.lanes)
    throw OptionError("ports", fmt::format("{} ports are given for {} lanes, expected one a lane",
                                           options.ports.size(), options.format.lanes));
  validate(options.format);
  validate(options.assembly);
  validate(options, options.format.packet_bytes());
}

LofarUdpSource::LofarUdpSource(const LofarUdpOptions& options) : UdpSource(options, packet_format(options)) {}

}  // namespace takt::sensors
