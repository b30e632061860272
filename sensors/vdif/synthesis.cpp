#include "sensors/vdif/synthesis.hpp"

#include <cmath>
#include <cstring>
#include <numbers>

#include <fmt/format.h>

#include "sensors/option_error.hpp"
#include "sensors/split_mix.hpp"

namespace takt::sensors {

namespace {

constexpr std::uint64_t pool_places = 65'521;

}  // namespace

void validate(const VdifSynthesisOptions& options) {
  validate(options.format);
  if (!(options.noise >= 0) || !std::isfinite(options.noise))
    throw OptionError(
        "noise", fmt::format("a noise level of {} cannot be, expected a standard deviation", options.noise));
  if (!(options.tone_amplitude >= 0) || !std::isfinite(options.tone_amplitude) ||
      !std::isfinite(options.tone_hz))
    throw OptionError("tone", fmt::format("a tone of {} Hz and amplitude {} cannot be", options.tone_hz,
                                          options.tone_amplitude));
  if (options.second < 946'684'800 || options.second > 1'956'528'000)
    throw OptionError("second", fmt::format("VDIF cannot tell the second {}, expected one from 2000 to 2031",
                                            options.second));
}

VdifSynthesis::VdifSynthesis(VdifSynthesisOptions options)
    : options_((validate(options), std::move(options))),
      codec_(options_.format),
      samples_(options_.format.bits, options_.format.numbers_a_sample()),
      numbers_(options_.format.samples() * options_.format.numbers_a_sample()),
      packet_(options_.format.packet_bytes()) {
  SplitMix random(options_.seed);
  pool_.resize(pool_places + numbers_.size());
  for (float& number : pool_) number = static_cast<float>(options_.noise * random.normal());
}

std::optional<LanePacket> VdifSynthesis::next() {
  const VdifFormat& format = options_.format;
  const std::uint64_t packet = number_ / format.threads.size();
  const std::size_t lane = number_ % format.threads.size();
  if (options_.packets > 0 && packet == options_.packets) return {};
  const auto packets_a_second = static_cast<std::uint64_t>(format.packets_a_second());

  const VdifTime time = vdif_time(options_.second + static_cast<std::int64_t>(packet / packets_a_second));
  VdifHeader header;
  header.is_legacy = format.is_legacy;
  header.second = time.second;
  header.epoch = time.epoch;
  header.frame = static_cast<std::uint32_t>(packet % packets_a_second);
  while (std::size_t{1} << header.log2_channels < format.channels) ++header.log2_channels;
  header.frame_bytes = static_cast<std::uint32_t>(format.header_bytes() + format.payload_bytes);
  header.is_complex = format.is_complex;
  header.bits = format.bits;
  header.thread = format.threads[lane];
  header.station = format.station.value_or(1);
  if (format.has_sequence) std::memcpy(packet_.data(), &number_, sizeof number_);
  encode_vdif(header, std::span(packet_).subspan(format.prefix_bytes()));

  const std::size_t piece = SplitMix(options_.seed, number_).below(pool_places);
  std::copy_n(pool_.begin() + static_cast<std::ptrdiff_t>(piece), numbers_.size(), numbers_.begin());
  if (options_.tone_amplitude > 0) {
    const double turns = options_.tone_hz / format.sample_hz;
    for (std::size_t t = 0; t < format.samples(); ++t) {
      const auto sample = static_cast<double>(packet * format.samples() + t);
      const double phase = 2 * std::numbers::pi * std::fmod(turns * sample, 1.0);
      float* const to = numbers_.data() + t * format.numbers_a_sample();
      to[0] += static_cast<float>(options_.tone_amplitude * std::cos(phase));
      if (format.is_complex) to[1] += static_cast<float>(options_.tone_amplitude * std::sin(phase));
    }
  }
  samples_.encode(numbers_, std::span(packet_).subspan(format.prefix_bytes() + format.header_bytes()));
  ++number_;
  return LanePacket{lane, packet_};
}

}  // namespace takt::sensors
