#include "sensors/vdif/builder.hpp"

#include <cmath>
#include <limits>
#include <mutex>

#include <fmt/format.h>

#include "core/leap_seconds.hpp"
#include "sensors/frames/missing_values.hpp"
#include "sensors/packets/station_choice.hpp"
#include "sensors/vdif/samples.hpp"

namespace takt::sensors {

namespace {

/// Writes a thread's numbers to a frame of [beamlet][time][polarisation]. The packets include their headers,
/// whose validity masks mark channels as missing.
class VdifPlaces {
 public:
  explicit VdifPlaces(const VdifFormat& format)
      : header_bytes_(format.header_bytes()),
        samples_(format.samples()),
        times_(samples_ * format.packets),
        channels_(format.channels),
        polarisations_(format.polarisations),
        parts_(format.is_complex ? 2 : 1),
        codec_(format.bits, format.numbers_per_sample()),
        numbers_(samples_ * format.numbers_per_sample()) {}

  void scatter(std::span<const std::byte> vdif_frame, std::size_t lane, std::size_t packet,
               std::span<std::byte> elements) {
    decode(vdif_frame.subspan(header_bytes_), lane, packet, elements);
    const VdifHeader header = decode_vdif(vdif_frame);
    for (std::size_t channel = 0; channel < channels_; ++channel)
      if (!header.is_channel_valid(channel, channels_)) {
        mark_channel(lane, channel, packet, elements);
        masked_channels_.add();
      }
  }

  void mark_missing(std::size_t lane, std::size_t packet, std::span<std::byte> elements) const {
    for (std::size_t channel = 0; channel < channels_; ++channel)
      mark_channel(lane, channel, packet, elements);
  }

  /// Channels of packets marked as missing by a validity mask.
  [[nodiscard]] const Tally& masked_channels() const { return masked_channels_; }

 private:
  void decode(std::span<const std::byte> payload, std::size_t lane, std::size_t packet,
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

  void mark_channel(std::size_t lane, std::size_t channel, std::size_t packet,
                    std::span<std::byte> elements) const {
    float* const to = run_of(lane, channel, packet, elements);
    for (std::size_t t = 0; t < samples_; ++t)
      std::fill_n(to + t * polarisations_ * parts_, parts_, std::numeric_limits<float>::quiet_NaN());
  }

  [[nodiscard]] float* run_of(std::size_t lane, std::size_t channel, std::size_t packet,
                              std::span<std::byte> elements) const {
    const std::size_t beamlet = lane / polarisations_ * channels_ + channel;
    const std::size_t first = (beamlet * times_ + packet * samples_) * polarisations_ + lane % polarisations_;
    return reinterpret_cast<float*>(elements.data()) + first * parts_;
  }

  std::size_t header_bytes_, samples_, times_, channels_, polarisations_, parts_;
  VdifSamples codec_;
  /// Numbers of one packet.
  std::vector<float> numbers_;
  Tally masked_channels_;
};

/// Ticks are samples since 1970 on the TAI scale, so that a leap second has its own places.
FrameGrid vdif_grid(const VdifFormat& format, const std::shared_ptr<VdifPlaces>& places,
                    std::uint32_t source) {
  return {
      .lanes = format.threads.size(),
      .packets = format.packets,
      .ticks_per_packet = static_cast<std::int64_t>(format.samples()),
      .ticks_per_second =
          static_cast<double>(format.packets_per_second()) * static_cast<double>(format.samples()),
      .payload_bytes = format.header_bytes() + format.payload_bytes,
      .scatter = [places](
                     std::span<const std::byte> vdif_frame, std::size_t lane, std::size_t packet,
                     std::span<std::byte> elements) { places->scatter(vdif_frame, lane, packet, elements); },
      .mark_missing = [places](
                          std::size_t lane, std::size_t packet,
                          std::span<std::byte> elements) { places->mark_missing(lane, packet, elements); },
      .find_nan =
          [places, type = vdif_frame_type(format)](std::span<std::byte> elements, FrameHeader& header) {
            return places->masked_channels().value() > 0 && mark_nan(type, elements, header);
          },
      .utc_of = [](std::uint64_t tick, double ticks_per_second) -> std::int64_t {
        const auto rate = static_cast<std::uint64_t>(std::llround(ticks_per_second));
        return leap_seconds().utc_second(static_cast<std::int64_t>(tick / rate)).unix_second * 1'000'000'000 +
               std::llround(static_cast<double>(tick % rate) * 1e9 / ticks_per_second);
      },
      .source = static_cast<std::uint16_t>(source)};
}

class VdifBuilder final : public FrameBuilder {
 public:
  VdifBuilder(const VdifFormat& format, const Assembly& assembly, std::uint32_t source, FrameQueue& frames)
      : format_(format),
        station_(format.station),
        places_(std::make_shared<VdifPlaces>(format)),
        assembler_(vdif_grid(format, places_, source), assembly, counts_, frames) {}

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
    examine(header);
    const auto number =
        static_cast<std::uint64_t>(header.tai_second() * format_.packets_per_second()) + header.frame;
    assembler_.take(lane, number * format_.samples(), datagram.subspan(prefix), now_ns);
    return true;
  }

  void finish(std::int64_t now_ns) override { assembler_.finish(now_ns); }

  [[nodiscard]] SourceCounters counters() const override {
    SourceCounters counters = counts_.report(format_.threads.size());
    for (std::size_t verdict = 1; verdict < vdif_verdict_count; ++verdict)
      counters.details.push_back({fmt::format("refused_{}", name_of(static_cast<VdifVerdict>(verdict))),
                                  "packets", refused_[verdict].value()});
    counters.details.push_back({"channels_masked", "channels", places_->masked_channels().value()});
    counters.details.push_back({"headers_not_understood", "packets", unknown_.value()});
    return counters;
  }

  [[nodiscard]] std::vector<std::string> warnings(const std::vector<std::string>&) const override {
    std::vector<std::string> names;
    for (const std::uint16_t thread : format_.threads) names.push_back(fmt::format("thread {}", thread));
    std::vector<std::string> lines = lane_warnings(counts_, names);
    lines.insert(lines.end(), format_.notes.begin(), format_.notes.end());
    if (unknown_.value() > 0) {
      const std::scoped_lock lock(mutex_);
      lines.push_back(fmt::format("VDIF headers of {} packets have unknown parts, which were ignored: {}",
                                  unknown_.value(), unknown_parts_));
    }
    if (other_rate_.value() > 0)
      lines.push_back(
          fmt::format("VDIF headers of {} packets have another sample rate than {} Hz, with which they are "
                      "read: check sample_rate",
                      other_rate_.value(), format_.sample_hz));
    if (uncertain_.value() > 0) lines.push_back(expired_leap_seconds(leap_seconds()));
    return lines;
  }

 private:
  /// Counts header fields of a valid packet that are unknown or contradict the format.
  void examine(const VdifHeader& header) {
    const bool is_known = header.version <= 1 && header.unassigned == 0 &&
                          (header.is_legacy || header.extended_version == 0 || header.extended_version == 2 ||
                           header.sync_word == vdif_sync_word);
    if (!is_known) examine_parts(header);
    if (const std::optional<double> rate = header.sample_hz(); rate && *rate != format_.sample_hz)
      other_rate_.add();
    // A half-year contains a leap second only at its end.
    constexpr std::uint32_t shortest_half_year = 181 * 86400;
    if (header.second >= shortest_half_year &&
        !leap_seconds().is_certain(header.epoch_unix_second(), header.unix_second()))
      uncertain_.add();
  }

  void examine_parts(const VdifHeader& header) {
    const std::string parts = header.unknown_parts();
    if (parts.empty()) return;
    if (unknown_.value() == 0) {
      const std::scoped_lock lock(mutex_);
      unknown_parts_ = parts;
    }
    unknown_.add();
  }

  const VdifFormat format_;
  StationChoice station_;
  AssemblyCounts counts_;
  std::array<Tally, vdif_verdict_count> refused_;
  /// Packets: with unknown parts; of another rate; of times that are ambiguous because of leap seconds.
  Tally unknown_, other_rate_, uncertain_;
  mutable std::mutex mutex_;
  /// Of the first such header; guarded by `mutex_`.
  std::string unknown_parts_;
  /// Shared with the functions of the assembler's grid.
  std::shared_ptr<VdifPlaces> places_;
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
          .description = format.description,
          .make_builder = [=](FrameQueue& frames) -> std::unique_ptr<FrameBuilder> {
            return std::make_unique<VdifBuilder>(format, assembly, source, frames);
          }};
}

}  // namespace takt::sensors
