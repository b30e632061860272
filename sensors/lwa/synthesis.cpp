#include "sensors/lwa/synthesis.hpp"

#include <cmath>

#include <fmt/format.h>

#include "sensors/option_error.hpp"

namespace takt::sensors {

void validate(const LwaSynthesisOptions& options) {
  validate(options.format);
  validate(options.signal, options.format.packets_per_moment(), false);
  if (!std::isfinite(options.tone_hz))
    throw OptionError("tone", fmt::format("a tone of {} Hz is not valid", options.tone_hz));
  for (const double hz : options.format.frequencies_hz)
    if (!(hz >= 0 && hz < static_cast<double>(lwa_clock_hz)))
      throw OptionError("frequencies",
                        fmt::format("a station cannot be tuned to {} Hz: expected 0 to 196 MHz", hz));
  // 64 bits of clocks end in the year 4952, nanoseconds in 2262.
  constexpr std::int64_t end_of_nanoseconds = 9'223'372'036;
  if (options.second < 1 || options.second >= end_of_nanoseconds)
    throw OptionError(
        "second", fmt::format("the second {} is not valid: expected one from 1970 to 2262", options.second));
}

LwaSynthesis::LwaSynthesis(LwaSynthesisOptions options)
    : options_((validate(options), std::move(options))),
      codec_(options_.format),
      signal_(options_.signal, options_.tone_hz, options_.format.sample_hz, options_.second, {.parts = 2},
              2 * lwa_samples(options_.format.mode)),
      numbers_(2 * lwa_samples(options_.format.mode)),
      packet_(options_.format.packet_bytes()) {}

std::optional<LanePacket> LwaSynthesis::next() {
  const LwaFormat& format = options_.format;
  const std::uint64_t moment = number_ / format.packets_per_moment();
  const std::size_t place = number_ % format.packets_per_moment(), signal = place / 2;
  if (options_.packets > 0 && moment == options_.packets) return {};
  LwaHeader header;
  header.signal = format.signals[signal];
  header.polarisation = static_cast<std::uint8_t>(place % 2);
  header.decimation = static_cast<std::uint16_t>(format.mode == LwaMode::drx ? format.decimation() : 0);
  header.time_offset = format.mode == LwaMode::drx ? options_.time_offset : std::uint16_t{0};
  header.time_tag =
      clocks_of_second(options_.second) + moment * format.clocks_per_packet() + header.time_offset;
  if (!format.frequencies_hz.empty()) header.tuning_word = lwa_tuning_word(format.frequencies_hz[signal]);
  encode_lwa(format.mode, header, packet_);
  signal_.make(number_, moment * lwa_samples(format.mode), place, numbers_);
  encode_lwa_samples(format.mode, numbers_, std::span(packet_).subspan(lwa_header_bytes(format.mode)));
  ++number_;
  return LanePacket{0, packet_};
}

}  // namespace takt::sensors
