#include "sensors/lwa/format.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

/// Number of stands in TBN's 14 bits of input.
constexpr std::uint16_t most_stands = 8191;
constexpr std::uint64_t most_decimation = 1'000'000;
constexpr double most_numbers = 536'870'911;

void check_signal(const LwaFormat& format, std::uint16_t signal) {
  if (format.mode == LwaMode::tbn) {
    if (signal < 1 || signal > most_stands)
      throw OptionError("stands",
                        fmt::format("stand {} does not exist: expected 1 to {}", signal, most_stands));
    return;
  }
  if ((signal & 7) == 0)
    throw OptionError("beams", fmt::format("beam {} does not exist: expected 1 to 7", signal & 7));
  if (signal >> 3 < 1 || signal >> 3 > 7)
    throw OptionError("tunings", fmt::format("tuning {} does not exist: expected 1 to 7", signal >> 3));
}

}  // namespace

std::uint64_t LwaFormat::decimation() const {
  return sample_hz > 0
             ? static_cast<std::uint64_t>(std::llround(static_cast<double>(lwa_clock_hz) / sample_hz))
             : 0;
}

std::string name_of_signal(LwaMode mode, std::uint16_t signal) {
  return mode == LwaMode::tbn ? fmt::format("stand {}", signal)
                              : fmt::format("beam {}, tuning {}", signal & 7, signal >> 3);
}

void validate(const LwaFormat& format) {
  const char* const signals = format.mode == LwaMode::tbn ? "stands" : "beams";
  if (format.signals.empty())
    throw OptionError(signals, fmt::format("no {} are given: expected at least one", signals));
  for (std::size_t i = 0; i < format.signals.size(); ++i) {
    check_signal(format, format.signals[i]);
    if (std::find(format.signals.begin(), format.signals.begin() + static_cast<std::ptrdiff_t>(i),
                  format.signals[i]) != format.signals.begin() + static_cast<std::ptrdiff_t>(i))
      throw OptionError(signals,
                        fmt::format("{} is given twice", name_of_signal(format.mode, format.signals[i])));
  }
  if (!(format.sample_hz > 0) || !std::isfinite(format.sample_hz) || format.decimation() < 1 ||
      format.decimation() > most_decimation ||
      std::abs(static_cast<double>(format.decimation()) * format.sample_hz -
               static_cast<double>(lwa_clock_hz)) > 1e-6 * static_cast<double>(lwa_clock_hz))
    throw OptionError("sample_rate",
                      fmt::format("a sample rate of {} Hz is not valid: expected 196 MHz divided by a whole "
                                  "number, for example 19.6 MHz (DRX) or 100 kHz (TBN)",
                                  format.sample_hz));
  if (format.mode == LwaMode::drx && format.decimation() > 65'535)
    throw OptionError("sample_rate",
                      fmt::format("a decimation of {} does not fit DRX's 16 bits: expected 3 kHz "
                                  "or more",
                                  format.decimation()));
  if (format.packets < 1)
    throw OptionError("packets", "a frame of 0 packets is not valid: expected 1 or more");
  if (!format.frequencies_hz.empty() && format.frequencies_hz.size() != format.signals.size())
    throw OptionError("frequencies",
                      fmt::format("{} frequencies are given for {} signals: expected one per signal, or none",
                                  format.frequencies_hz.size(), format.signals.size()));
  if (static_cast<double>(format.packets_per_moment() * format.packets) *
          static_cast<double>(2 * lwa_samples(format.mode)) >
      most_numbers)
    throw OptionError("packets", "frames of more than 2 GiB are not valid: expected fewer packets");
}

FrameType lwa_frame_type(const LwaFormat& format) {
  validate(format);
  FrameType type;
  type.element = ElementType::complex_float32;
  type.unit = "counts";
  const std::size_t samples = format.packets * lwa_samples(format.mode);
  type.rate_hz = format.sample_hz / static_cast<double>(samples);
  Axis time{"time", samples, {}};
  for (std::size_t i = 0; i < samples; ++i)
    time.coordinates.push_back(static_cast<double>(i) / format.sample_hz);
  type.axes = {Axis{"beamlet", format.signals.size(), format.frequencies_hz}, std::move(time),
               Axis{"polarisation", 2, {}}};
  return type;
}

std::string_view name_of(LwaVerdict verdict) {
  constexpr std::array<std::string_view, lwa_verdict_count> names{"good", "size",   "sync", "mode",
                                                                  "rate", "signal", "time"};
  return names[static_cast<std::size_t>(verdict)];
}

LwaVerdict judge(std::span<const std::byte> datagram, const LwaFormat& format, LwaHeader& header,
                 std::size_t& place) {
  if (datagram.size() != format.packet_bytes()) return LwaVerdict::size;
  header = decode_lwa(format.mode, datagram);
  if (header.sync_word != lwa_sync_word) return LwaVerdict::sync;
  if (header.reserved != 0) return LwaVerdict::mode;
  if (format.mode == LwaMode::drx && header.decimation != format.decimation()) return LwaVerdict::rate;
  const auto found = std::ranges::find(format.signals, header.signal);
  if (found == format.signals.end()) return LwaVerdict::signal;
  place = 2 * static_cast<std::size_t>(found - format.signals.begin()) + header.polarisation;
  return LwaVerdict::good;
}

}  // namespace takt::sensors
