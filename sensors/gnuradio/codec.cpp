#include "sensors/gnuradio/codec.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

#include <fmt/format.h>

#include "sensors/option_error.hpp"
#include "sensors/spead/format.hpp"
#include "sensors/spead/samples.hpp"
#include "sensors/split_mix.hpp"

namespace takt::sensors {

namespace {

/// Numbers of noise that are drawn once.
constexpr std::uint64_t gnuradio_pool_places = 65'521;
constexpr std::size_t number_bytes_before = sizeof(std::uint64_t);

}  // namespace

double GnuradioCodec::packets_a_second() const {
  return format_.type.rate_hz * static_cast<double>(format_.type.data_size().count / format_.payload_bytes);
}

std::optional<std::int64_t> GnuradioCodec::utc_of(std::span<const std::byte> packet) const {
  if (!format_.has_sequence || packet.size() < number_bytes_before) return {};
  std::uint64_t number = 0;
  std::memcpy(&number, packet.data(), sizeof number);
  return first_utc_ns_ + std::llround((static_cast<double>(number) - 1) / packets_a_second() * 1e9);
}

std::span<const std::string_view> GnuradioCodec::causes() const {
  static constexpr std::array<std::string_view, 1> names{"size"};
  return names;
}

std::size_t GnuradioCodec::damage(std::vector<std::byte>& packet, std::uint64_t) const {
  // An empty datagram is a mark of the end.
  packet.resize(packet.size() > 1 ? packet.size() - 1 : 1);
  return 0;
}

GnuradioSynthesis::GnuradioSynthesis(GnuradioSynthesisOptions options)
    : options_((validate(options.format), std::move(options))),
      codec_(options_.format, options_.second * 1'000'000'000),
      numbers_(options_.format.payload_bytes / number_bytes(options_.format.type.element)),
      packet_(number_bytes_before + options_.format.payload_bytes) {
  if (!(options_.noise >= 0) || !std::isfinite(options_.noise))
    throw OptionError(
        "noise", fmt::format("a noise level of {} cannot be, expected a standard deviation", options_.noise));
  SplitMix random(options_.seed);
  pool_.resize(gnuradio_pool_places + numbers_.size());
  for (float& number : pool_) number = static_cast<float>(options_.noise * random.normal());
}

std::optional<LanePacket> GnuradioSynthesis::next() {
  const std::size_t each = numbers_of(options_.format.type.element), elements = numbers_.size() / each;
  const std::size_t piece = SplitMix(options_.seed, number_).below(gnuradio_pool_places);
  std::copy_n(pool_.begin() + static_cast<std::ptrdiff_t>(piece), numbers_.size(), numbers_.begin());
  for (std::size_t i = 0; options_.tone_amplitude > 0 && i < elements; ++i) {
    const auto element = static_cast<double>(number_ * elements + i);
    const double phase = 2 * std::numbers::pi * std::fmod(options_.tone_turns * element, 1.0);
    numbers_[i * each] += static_cast<float>(options_.tone_amplitude * std::cos(phase));
    if (each == 2) numbers_[i * each + 1] += static_cast<float>(options_.tone_amplitude * std::sin(phase));
  }
  ++number_;
  std::memcpy(packet_.data(), &number_, sizeof number_);
  encode_numbers(options_.format.type.element, false, numbers_,
                 std::span(packet_).subspan(number_bytes_before));
  return LanePacket{0, packet_};
}

}  // namespace takt::sensors
