#include "sensors/lofar/synthesis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/lofar/packet.hpp"
#include "sensors/option_error.hpp"
#include "sensors/synthetic/split_mix.hpp"

namespace takt::sensors {

namespace {

/// Xr Xi Yr Yi of 16 samples.
constexpr std::size_t components_per_beamlet = 64;
/// Size of the noise pool in beamlets, in addition to one packet.
constexpr std::size_t pool_pieces = 16'384;

/// Rounds components to `bits` and packs them in the packet's layout.
void round_components(std::span<const float> components, int bits, std::byte* to) {
  const auto limit = static_cast<float>((1 << (bits - 1)) - 1);
  const auto rounded = [&](std::size_t i) { return std::lround(std::clamp(components[i], -limit, limit)); };
  for (std::size_t i = 0; i < components.size(); ++i) {
    if (bits == 16) {
      const auto value = static_cast<std::int16_t>(rounded(i));
      std::memcpy(to + 2 * i, &value, sizeof value);
    } else if (bits == 8) {
      to[i] = static_cast<std::byte>(rounded(i));
    } else if (i % 2 == 0) {
      to[i / 2] = static_cast<std::byte>((rounded(i) << 4) | (rounded(i + 1) & 0xF));
    }
  }
}

}  // namespace

void validate(const LofarSynthesisOptions& options) {
  validate(options.format);
  if (!(options.noise >= 0) || !std::isfinite(options.noise))
    throw ConfigError(fmt::format("a noise level of {} is not valid: expected a standard deviation in counts",
                                  options.noise));
  if (options.tone && (!(options.tone->amplitude >= 0) || !std::isfinite(options.tone->amplitude)))
    throw ConfigError(fmt::format("a tone of amplitude {} is not valid: expected counts, 0 or more",
                                  options.tone->amplitude));
  if (options.tone && !std::isfinite(options.tone->drift_hz_per_second))
    throw ConfigError("tone drift: expected a number in Hz/s");
  if (options.tone) (void)find_tone(options.format, options.tone->frequency_hz);
  const bool has_frequencies = !lofar_frame_type(options.format).find_axis("beamlet")->coordinates.empty();
  validate(options.sky, options.format.lanes, has_frequencies);
  const auto is_late = [](Time delay) { return delay > Time(0); };
  if (!has_frequencies && std::ranges::any_of(options.sky.delays, is_late))
    throw OptionError("delay", "delays need subbands and a band, which define the frequencies");
}

TonePlace find_tone(const LofarFormat& format, double frequency_hz) {
  const std::vector<double> centres = lofar_frame_type(format).find_axis("beamlet")->coordinates;
  if (centres.empty()) throw ConfigError("a tone needs subbands and a band, which define the frequencies");
  const auto distance = [&](double centre) { return std::abs(centre - frequency_hz); };
  const auto nearest = std::min_element(centres.begin(), centres.end(),
                                        [&](double a, double b) { return distance(a) < distance(b); });
  if (distance(*nearest) > static_cast<double>(format.clock_hz) / 2048) {
    const auto [lowest, highest] = std::minmax_element(centres.begin(), centres.end());
    throw ConfigError(
        fmt::format("no beamlet holds {} MHz: expected a frequency near a beamlet; they lie from {} to {} "
                    "MHz, and the nearest one is at {} MHz",
                    frequency_hz / 1e6, *lowest / 1e6, *highest / 1e6, *nearest / 1e6));
  }
  const auto index = static_cast<std::size_t>(nearest - centres.begin());
  return {index / format.beamlets, index % format.beamlets, *nearest};
}

LofarSynthesis::LofarSynthesis(LofarSynthesisOptions options)
    : options_((validate(options), std::move(options))),
      codec_(options_.format.clock_hz),
      sky_(options_.sky),
      centres_(lofar_frame_type(options_.format).find_axis("beamlet")->coordinates),
      packet_(options_.format.packet_bytes()) {
  if (options_.tone) place_ = find_tone(options_.format, options_.tone->frequency_hz);
  fill_pool();
}

void LofarSynthesis::fill_pool() {
  SplitMix random(options_.seed);
  pool_.resize((pool_pieces + options_.format.beamlets) * components_per_beamlet);
  for (float& component : pool_) component = static_cast<float>(options_.noise * random.normal());
  rounded_pool_.resize(pool_.size() * static_cast<std::size_t>(options_.format.bits) / 8);
  round_components(pool_, options_.format.bits, rounded_pool_.data());
}

std::optional<LanePacket> LofarSynthesis::next() {
  const LofarFormat& format = options_.format;
  const std::uint64_t packet = number_ / format.lanes;
  const std::size_t lane = number_ % format.lanes;
  if (options_.packets > 0 && packet == options_.packets) return {};

  const std::uint64_t first = absolute_block(options_.second, 0, format.clock_hz);
  const BlockTime time = block_time(first + packet * lofar_blocks_per_packet, format.clock_hz);
  LofarHeader header;
  header.clock_hz = format.clock_hz;
  header.bits = format.bits;
  header.station = format.station.value_or(1);
  header.lane = static_cast<std::uint8_t>(lane);
  header.rsp_board = header.lane;
  header.beamlets = static_cast<std::uint8_t>(format.beamlets);
  header.second = time.second;
  header.sequence = time.sequence;
  encode_header(header, std::span(packet_).first<lofar_header_bytes>());

  const std::size_t piece = SplitMix(options_.seed, number_).below(pool_pieces);
  const std::size_t piece_bytes = components_per_beamlet * static_cast<std::size_t>(format.bits) / 8;
  std::memcpy(packet_.data() + lofar_header_bytes, rounded_pool_.data() + piece * piece_bytes,
              format.payload_bytes());
  if (options_.sky.has_sky_noise() || (place_ && place_->lane == lane)) add_sky(piece, packet, lane);
  ++number_;
  return LanePacket{lane, packet_};
}

/// Adds to the noise before rounding: after it, the tone's own rounding would be
/// undithered.
void LofarSynthesis::add_sky(std::size_t piece, std::uint64_t packet, std::size_t lane) {
  const LofarFormat& format = options_.format;
  const std::size_t piece_bytes = components_per_beamlet * static_cast<std::size_t>(format.bits) / 8;
  const double delay_s = options_.sky.delay_s(lane);
  for (std::size_t beamlet = 0; beamlet < format.beamlets; ++beamlet) {
    const bool has_tone = place_ && place_->lane == lane && place_->beamlet == beamlet;
    if (!has_tone && !options_.sky.has_sky_noise()) continue;
    std::array<float, components_per_beamlet> sum;
    std::copy_n(pool_.begin() + static_cast<std::ptrdiff_t>((piece + beamlet) * components_per_beamlet),
                sum.size(), sum.begin());
    if (has_tone) add_tone(packet, delay_s, sum);
    if (options_.sky.has_sky_noise()) add_sky_noise(packet, delay_s, lane * format.beamlets + beamlet, sum);
    round_components(sum, format.bits, packet_.data() + lofar_header_bytes + beamlet * piece_bytes);
  }
}

void LofarSynthesis::add_tone(std::uint64_t packet, double delay_s, std::span<float> beamlet) const {
  const double rate_hz = static_cast<double>(options_.format.clock_hz) / 1024;
  const double turns_per_sample = (options_.tone->frequency_hz - place_->centre_hz) / rate_hz;
  for (std::size_t t = 0; t < lofar_blocks_per_packet; ++t) {
    const auto sample = static_cast<double>(packet * lofar_blocks_per_packet + t);
    const double since = sample / rate_hz - delay_s;
    const double turns = std::fmod(turns_per_sample * sample, 1.0) - options_.tone->frequency_hz * delay_s +
                         0.5 * options_.tone->drift_hz_per_second * since * since;
    const double phase = 2 * std::numbers::pi * std::fmod(turns, 1.0);
    const auto real = static_cast<float>(options_.tone->amplitude * std::cos(phase));
    const auto imaginary = static_cast<float>(options_.tone->amplitude * std::sin(phase));
    for (std::size_t i = 4 * t; i < 4 * t + 4; ++i) beamlet[i] += i % 2 == 0 ? real : imaginary;
  }
}

/// Adds two uncorrelated polarisations.
void LofarSynthesis::add_sky_noise(std::uint64_t packet, double delay_s, std::size_t place,
                                   std::span<float> beamlet) const {
  const std::int64_t clock_hz = options_.format.clock_hz;
  const double rate_hz = static_cast<double>(clock_hz) / 1024;
  const double centre_hz = centres_.empty() ? 0 : centres_[place];
  const double dispersion_s =
      options_.sky.dispersion_measure > 0 ? options_.sky.dispersion_measure * dispersion_delay(centre_hz) : 0;
  const double phase = -2 * std::numbers::pi * std::fmod(centre_hz * delay_s, 1.0);
  const std::complex<float> turn(static_cast<float>(std::cos(phase)), static_cast<float>(std::sin(phase)));
  const std::uint64_t first = absolute_block(options_.second, 0, clock_hz) +
                              packet * lofar_blocks_per_packet -
                              static_cast<std::uint64_t>(std::llround(delay_s * rate_hz));
  for (std::size_t t = 0; t < lofar_blocks_per_packet; ++t) {
    const float level = sky_.level(utc_of_block(first + t, clock_hz), dispersion_s);
    for (std::size_t p = 0; level > 0 && p < 2; ++p) {
      const std::complex<float> value(sky_.at(first + t, 2 * place + p, 0),
                                      sky_.at(first + t, 2 * place + p, 1));
      const std::complex<float> turned = level * turn * value;
      beamlet[4 * t + 2 * p] += turned.real();
      beamlet[4 * t + 2 * p + 1] += turned.imag();
    }
  }
}

}  // namespace takt::sensors
