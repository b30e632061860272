#include "sensors/vdif/builder.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "sensors/station_choice.hpp"
#include "sensors/vdif/samples.hpp"

namespace takt::sensors {

namespace {

/// Where a thread's numbers go in a frame of [beamlet][time][polarisation].
class VdifPlaces {
 public:
  explicit VdifPlaces(const VdifFormat& format)
      : samples_(format.samples()),
        times_(samples_ * format.packets),
        channels_(format.channels),
        polarisations_(format.polarisations),
        parts_(format.is_complex ? 2 : 1),
        codec_(format.bits, format.numbers_a_sample()),
        numbers_(samples_ * format.numbers_a_sample()) {}

  void scatter(std::span<const std::byte> payload, std::size_t lane, std::size_t packet,
               std::span<std::byte> elements) {
    if (channels_ == 1 && polarisations_ == 1) {
      codec_.decode(payload, {run_of(lane, 0, packet, elements), numbers_.size()});
      return;
    }
    codec_.decode(payload, numbers_);
    const std::size_t step = polarisations_ * parts_;
    for (std::size_t channel = 0; channel < channels_; ++channel) {
      float* const to = run_of(lane, channel, packet, elements);
      const float* const from = numbers_.data() + channel * parts_;
      for (std::size_t t = 0; t < samples_; ++t)
        for (std::size_t part = 0; part < parts_; ++part)
          to[t * step + part] = from[t * channels_ * parts_ + part];
    }
  }

  void mark_missing(std::size_t lane, std::size_t packet, std::span<std::byte> elements) const {
    const std::size_t step = polarisations_ * parts_;
    for (std::size_t channel = 0; channel < channels_; ++channel) {
      float* const to = run_of(lane, channel, packet, elements);
      for (std::size_t t = 0; t < samples_; ++t)
        std::fill_n(to + t * step, parts_, std::numeric_limits<float>::quiet_NaN());
    }
  }

 private:
  [[nodiscard]] float* run_of(std::size_t lane, std::size_t channel, std::size_t packet,
                              std::span<std::byte> elements) const {
    const std::size_t beamlet = lane / polarisations_ * channels_ + channel;
    const std::size_t first = (beamlet * times_ + packet * samples_) * polarisations_ + lane % polarisations_;
    return reinterpret_cast<float*>(elements.data()) + first * parts_;
  }

  std::size_t samples_, times_, channels_, polarisations_, parts_;
  VdifSamples codec_;
  /// Of one packet.
  std::vector<float> numbers_;
};

FrameGrid vdif_grid(const VdifFormat& format, std::uint32_t source) {
  const auto places = std::make_shared<VdifPlaces>(format);  // shared by two functions of one grid
  return {.lanes = format.threads.size(),
          .packets = format.packets,
          .ticks_a_packet = static_cast<std::int64_t>(format.samples()),
          .ticks_a_second =
              static_cast<double>(format.packets_a_second()) * static_cast<double>(format.samples()),
          .payload_bytes = format.payload_bytes,
          .scatter = [places](
                         std::span<const std::byte> payload, std::size_t lane, std::size_t packet,
                         std::span<std::byte> elements) { places->scatter(payload, lane, packet, elements); },
          .mark_missing =
              [places](std::size_t lane, std::size_t packet, std::span<std::byte> elements) {
                places->mark_missing(lane, packet, elements);
              },
          .utc_of = [](std::uint64_t tick, double ticks_a_second) -> std::int64_t {
            const auto rate = static_cast<std::uint64_t>(std::llround(ticks_a_second));
            return static_cast<std::int64_t>(tick / rate) * 1'000'000'000 +
                   std::llround(static_cast<double>(tick % rate) * 1e9 / ticks_a_second);
          },
          .source = static_cast<std::uint16_t>(source)};
}

class VdifBuilder final : public FrameBuilder {
 public:
  VdifBuilder(const VdifFormat& format, const Assembly& assembly, std::uint32_t source, FrameQueue& frames)
      : format_(format),
        station_(format.station),
        assembler_(vdif_grid(format, source), assembly, counts_, frames) {}

  bool take(std::size_t, std::span<const std::byte> datagram, std::int64_t now_ns) override {
    VdifHeader header;
    std::size_t lane = 0;
    const std::size_t prefix = std::min(datagram.size(), format_.prefix_bytes());
    VdifVerdict verdict = judge(datagram.subspan(prefix), format_, header, lane);
    if (verdict == VdifVerdict::good && !station_.takes(header.station)) verdict = VdifVerdict::station;
    if (verdict != VdifVerdict::good) {
      refused_[static_cast<std::size_t>(verdict)].add();
      return false;
    }
    const auto number =
        static_cast<std::uint64_t>(header.unix_second() * format_.packets_a_second()) + header.frame;
    assembler_.take(lane, number * format_.samples(), datagram.subspan(prefix + format_.header_bytes()),
                    now_ns);
    return true;
  }

  void finish(std::int64_t now_ns) override { assembler_.finish(now_ns); }

  [[nodiscard]] SourceCounters counters() const override {
    SourceCounters counters = counts_.report(format_.threads.size());
    for (std::size_t verdict = 1; verdict < vdif_verdict_count; ++verdict)
      counters.details.push_back({fmt::format("refused_{}", name_of(static_cast<VdifVerdict>(verdict))),
                                  "packets", refused_[verdict].value()});
    return counters;
  }

  [[nodiscard]] std::vector<std::string> warnings(const std::vector<std::string>&) const override {
    std::vector<std::string> names;
    for (const std::uint16_t thread : format_.threads) names.push_back(fmt::format("thread {}", thread));
    return lane_warnings(counts_, names);
  }

 private:
  const VdifFormat format_;
  StationChoice station_;
  AssemblyCounts counts_;
  std::array<Tally, vdif_verdict_count> refused_;
  Assembler assembler_;
};

}  // namespace

PacketFormat vdif_packets(const VdifFormat& format, const Assembly& assembly, std::uint32_t source) {
  validate(format);
  validate(assembly);
  return {.name = "VDIF",
          .type = vdif_frame_type(format),
          .largest_packet = format.packet_bytes(),
          .open_frames = Assembler::open_frames(format.packets, assembly),
          .window = assembly.window,
          .make_builder = [=](FrameQueue& frames) -> std::unique_ptr<FrameBuilder> {
            return std::make_unique<VdifBuilder>(format, assembly, source, frames);
          }};
}

}  // namespace takt::sensors
