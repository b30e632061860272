#include "sensors/lwa/builder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "sensors/spead/heap_times.hpp"

namespace takt::sensors {

namespace {

/// Largest number of retuned signals named in a warning.
constexpr std::size_t most_named = 4;
/// Half a step of the tuning word, and the usual accuracy of written frequencies.
constexpr double same_frequency_hz = 1.0;

/// Writes a packet's samples to a frame of [beamlet][time][polarisation].
class LwaPlaces {
 public:
  explicit LwaPlaces(const LwaFormat& format)
      : mode_(format.mode),
        samples_(lwa_samples(format.mode)),
        times_(samples_ * format.packets),
        of_moment_(format.packets_per_moment()),
        numbers_(2 * samples_) {}

  void scatter(std::span<const std::byte> payload, std::size_t packet, std::span<std::byte> elements) {
    decode_lwa_samples(mode_, payload, numbers_.data());
    float* const to = begin_of(packet, elements);
    for (std::size_t i = 0; i < samples_; ++i) std::copy_n(numbers_.data() + 2 * i, 2, to + i * step);
  }

  void mark_missing(std::size_t packet, std::span<std::byte> elements) const {
    float* const to = begin_of(packet, elements);
    for (std::size_t i = 0; i < samples_; ++i)
      std::fill_n(to + i * step, 2, std::numeric_limits<float>::quiet_NaN());
  }

 private:
  /// Distance of successive samples of a polarisation, in numbers.
  static constexpr std::size_t step = 4;

  [[nodiscard]] float* begin_of(std::size_t packet, std::span<std::byte> elements) const {
    const std::size_t moment = packet / of_moment_, place = packet % of_moment_;
    const std::size_t first = ((place / 2) * times_ + moment * samples_) * 2 + place % 2;
    return reinterpret_cast<float*>(elements.data()) + 2 * first;
  }

  LwaMode mode_;
  std::size_t samples_, times_, of_moment_;
  /// Numbers of one packet.
  std::vector<float> numbers_;
};

/// Simultaneous packets are placed one after the other, as the packets of a lane are.
FrameGrid lwa_grid(const LwaFormat& format, std::uint32_t source) {
  const auto places = std::make_shared<LwaPlaces>(format);  // shared by two functions of one grid
  FrameGrid grid{
      .packets = format.packets * format.packets_per_moment(),
      .ticks_per_second = format.moments_per_second() * static_cast<double>(format.packets_per_moment()),
      .alignment = format.packets_per_moment(),
      .payload_bytes = lwa_payload_bytes(format.mode),
      .source = static_cast<std::uint16_t>(source)};
  grid.scatter = [places](std::span<const std::byte> payload, std::size_t, std::size_t packet,
                          std::span<std::byte> elements) { places->scatter(payload, packet, elements); };
  grid.mark_missing = [places](std::size_t, std::size_t packet, std::span<std::byte> elements) {
    places->mark_missing(packet, elements);
  };
  return grid;
}

/// Boards that send signals in parallel are up to one packet period apart.
Assembly of_all_signals(Assembly assembly, const LwaFormat& format) {
  assembly.window = std::max(assembly.window, 2 * format.packets_per_moment());
  return assembly;
}

class LwaBuilder final : public FrameBuilder {
 public:
  LwaBuilder(const LwaFormat& format, const Assembly& assembly, std::uint32_t source, FrameQueue& frames)
      : format_(format),
        of_moment_(format.packets_per_moment()),
        times_(format.clocks_per_packet(), of_moment_),
        grid_(timed_grid(source)),
        tunings_(format.signals.size()),
        retuned_(format.signals.size()),
        gains_(format.signals.size()),
        assembler_(grid_, of_all_signals(assembly, format), counts_, frames) {}

  bool take(std::size_t, std::span<const std::byte> datagram, std::int64_t now_ns) override {
    LwaHeader header;
    std::size_t place = 0;
    const LwaVerdict verdict = judge(datagram, format_, header, place);
    if (verdict != LwaVerdict::good) return refuse(verdict);
    if (header.time_tag < header.time_offset) return refuse(LwaVerdict::time);
    const std::uint64_t clocks = header.clocks();
    const std::optional<std::uint64_t> moment = times_.heap_of(clocks / format_.clocks_per_packet(), clocks);
    if (!moment) return refuse(LwaVerdict::time);
    note_header(header, place / 2);
    assembler_.take(0, *moment * of_moment_ + place, datagram.subspan(lwa_header_bytes(format_.mode)),
                    now_ns);
    return true;
  }

  void finish(std::int64_t now_ns) override { assembler_.finish(now_ns); }

  [[nodiscard]] SourceCounters counters() const override {
    SourceCounters counters = counts_.report(1);
    for (std::size_t verdict = 1; verdict < lwa_verdict_count; ++verdict)
      counters.details.push_back({fmt::format("refused_{}", name_of(static_cast<LwaVerdict>(verdict))),
                                  "packets", refused_[verdict].value()});
    counters.details.push_back({"packets_retuned", "packets", retuned_packets_.value()});
    if (format_.mode == LwaMode::tbn)
      counters.details.push_back({"packets_of_other_gain", "packets", other_gains_.value()});
    else
      counters.details.push_back({"packets_flagged", "packets", flagged_.value()});
    return counters;
  }

  [[nodiscard]] std::vector<std::string> warnings(const std::vector<std::string>& lanes) const override {
    std::vector<std::string> warnings =
        lane_warnings(counts_, {lanes.size() == 1 ? lanes.front() : "the stream's ports"});
    std::size_t named = 0;
    for (std::size_t i = 0; i < format_.signals.size() && named < most_named; ++i) {
      const std::uint64_t word = retuned_[i].value();
      if (word == 0) continue;
      ++named;
      const LwaHeader tuned{.tuning_word = static_cast<std::uint32_t>(word - 1)};
      warnings.push_back(
          fmt::format("{} is tuned to {:.6f} MHz in some packets, {}",
                      name_of_signal(format_.mode, format_.signals[i]), tuned.tuning_hz() / 1e6,
                      format_.frequencies_hz.empty()
                          ? std::string("to another frequency in others")
                          : fmt::format("expected {:.6f} MHz by 'frequencies' or the start of the file",
                                        format_.frequencies_hz[i] / 1e6)));
    }
    if (other_gains_.value() > 0)
      warnings.push_back(
          fmt::format("{} packets have another gain than the first one of their stand: the levels of their "
                      "samples are not comparable",
                      other_gains_.value()));
    if (flagged_.value() > 0)
      warnings.push_back(
          fmt::format("{} packets have unknown status flags, last {:#010x}: their samples are used",
                      flagged_.value(), last_flags_.value()));
    return warnings;
  }

 private:
  FrameGrid timed_grid(std::uint32_t source) {
    FrameGrid grid = lwa_grid(format_, source);
    grid.utc_of = [this](std::uint64_t tick, double) {
      return utc_of_clocks(times_.time_of(tick / of_moment_));
    };
    return grid;
  }

  bool refuse(LwaVerdict verdict) {
    refused_[static_cast<std::size_t>(verdict)].add();
    return false;
  }

  /// Records header changes that alter the meaning of samples within a stream.
  void note_header(const LwaHeader& header, std::size_t signal) {
    std::optional<std::uint32_t>& tuning = tunings_[signal];
    if (!tuning) tuning = header.tuning_word;
    const bool is_other =
        format_.frequencies_hz.empty()
            ? header.tuning_word != *tuning
            : std::abs(header.tuning_hz() - format_.frequencies_hz[signal]) > same_frequency_hz;
    if (is_other) {
      retuned_packets_.add();
      retuned_[signal].set(std::uint64_t{header.tuning_word} + 1);
    }
    if (format_.mode == LwaMode::tbn) {
      std::optional<std::uint16_t>& gain = gains_[signal];
      if (!gain) gain = header.gain;
      if (header.gain != *gain) other_gains_.add();
    } else if (header.flags != 0) {
      flagged_.add();
      last_flags_.set(header.flags);
    }
  }

  const LwaFormat format_;
  const std::size_t of_moment_;
  HeapTimes times_;
  const FrameGrid grid_;
  AssemblyCounts counts_;
  std::array<Tally, lwa_verdict_count> refused_;
  /// Tuning of each signal's first packet.
  std::vector<std::optional<std::uint32_t>> tunings_;
  /// The last other tuning word, plus 1; 0: there was none.
  std::vector<Tally> retuned_;
  std::vector<std::optional<std::uint16_t>> gains_;
  Tally retuned_packets_, other_gains_, flagged_, last_flags_;
  Assembler assembler_;
};

}  // namespace

PacketFormat lwa_packets(const LwaFormat& format, const Assembly& assembly, std::uint32_t source) {
  const FrameType type = lwa_frame_type(format);
  validate(assembly);
  const Assembly of_all = of_all_signals(assembly, format);
  return {.name = "LWA",
          .type = type,
          .largest_packet = format.packet_bytes(),
          .open_frames = Assembler::open_frames(format.packets * format.packets_per_moment(), of_all),
          .window = of_all.window,
          .make_builder = [=](FrameQueue& frames) -> std::unique_ptr<FrameBuilder> {
            return std::make_unique<LwaBuilder>(format, assembly, source, frames);
          }};
}

}  // namespace takt::sensors
