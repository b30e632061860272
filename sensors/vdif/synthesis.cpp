#include "sensors/vdif/synthesis.hpp"

#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "core/leap_seconds.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

void validate(const VdifSynthesisOptions& options) {
  validate(options.format);
  validate(options.signal, options.format.threads.size(), false);
  if (!std::isfinite(options.tone_hz))
    throw OptionError("tone", fmt::format("a tone of {} Hz is not valid", options.tone_hz));
  if (options.second < first_vdif_second || options.second >= end_of_vdif_seconds)
    throw OptionError(
        "second",
        fmt::format("VDIF cannot express the second {}: expected one from 2000 to 2031", options.second));
}

VdifSynthesis::VdifSynthesis(VdifSynthesisOptions options)
    : options_((validate(options), std::move(options))),
      codec_(options_.format),
      samples_(options_.format.bits, options_.format.numbers_per_sample()),
      signal_(options_.signal, options_.tone_hz, options_.format.sample_hz, options_.second,
              {.channels = options_.format.channels, .parts = options_.format.is_complex ? 2U : 1U},
              options_.format.samples() * options_.format.numbers_per_sample()),
      numbers_(options_.format.samples() * options_.format.numbers_per_sample()),
      packet_(options_.format.packet_bytes()) {}

std::optional<LanePacket> VdifSynthesis::next() {
  const VdifFormat& format = options_.format;
  const std::uint64_t packet = number_ / format.threads.size();
  const std::size_t lane = number_ % format.threads.size();
  if (options_.packets > 0 && packet == options_.packets) return {};
  const auto packets_per_second = static_cast<std::uint64_t>(format.packets_per_second());

  const VdifTime time = vdif_time_of_tai(leap_seconds().tai_second(options_.second) +
                                         static_cast<std::int64_t>(packet / packets_per_second));
  VdifHeader header;
  header.is_legacy = format.is_legacy;
  header.second = time.second;
  header.epoch = time.epoch;
  header.frame = static_cast<std::uint32_t>(packet % packets_per_second);
  while (std::size_t{1} << header.log2_channels < format.channels) ++header.log2_channels;
  header.frame_bytes = static_cast<std::uint32_t>(format.header_bytes() + format.payload_bytes);
  header.is_complex = format.is_complex;
  header.bits = format.bits;
  header.thread = format.threads[lane];
  header.station = format.station.value_or(1);
  if (format.has_sequence) std::memcpy(packet_.data(), &number_, sizeof number_);
  encode_vdif(header, std::span(packet_).subspan(format.prefix_bytes()));

  signal_.make(number_, packet * format.samples(), lane, numbers_);
  samples_.encode(numbers_, std::span(packet_).subspan(format.prefix_bytes() + format.header_bytes()));
  ++number_;
  return LanePacket{lane, packet_};
}

}  // namespace takt::sensors
