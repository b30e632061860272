#include "sensors/lofar/builder.hpp"

#include "sensors/lofar/assembler.hpp"

namespace takt::sensors {

namespace {

class LofarBuilder final : public ScatterBuilder {
 public:
  LofarBuilder(const LofarFormat& format, const Assembly& assembly, std::uint32_t source, FrameQueue& frames)
      : lanes_(format.lanes),
        payload_bytes_(format.payload_bytes()),
        assembler_(format, assembly, source, frames) {}

  bool take(std::size_t lane, std::span<const std::byte> datagram, std::int64_t now_ns) override {
    return assembler_.take(lane, datagram, now_ns) == LofarVerdict::good;
  }
  [[nodiscard]] std::size_t header_bytes() const override { return lofar_header_bytes; }
  [[nodiscard]] std::size_t payload_bytes() const override { return payload_bytes_; }
  void expect(std::size_t lane, std::span<std::byte*> places) override { assembler_.expect(lane, places); }
  std::size_t take(std::size_t lane, std::span<ScatteredDatagram> datagrams, std::int64_t now_ns) override {
    return assembler_.take(lane, datagrams, now_ns);
  }
  void finish(std::int64_t now_ns) override { assembler_.finish(now_ns); }
  [[nodiscard]] SourceCounters counters() const override { return assembler_.counts().report(lanes_); }
  [[nodiscard]] std::vector<std::string> warnings(const std::vector<std::string>& lanes) const override {
    return assembler_.counts().warnings(lanes);
  }

 private:
  std::size_t lanes_, payload_bytes_;
  LofarAssembler assembler_;
};

}  // namespace

PacketFormat lofar_packets(const LofarFormat& format, const Assembly& assembly, std::uint32_t source) {
  validate(format);
  validate(assembly);
  return {.name = "LOFAR",
          .type = lofar_frame_type(format),
          .largest_packet = format.packet_bytes(),
          .open_frames = LofarAssembler::open_frames(format, assembly),
          .window = assembly.window,
          .make_builder = [=](FrameQueue& frames) -> std::unique_ptr<FrameBuilder> {
            return std::make_unique<LofarBuilder>(format, assembly, source, frames);
          }};
}

}  // namespace takt::sensors
