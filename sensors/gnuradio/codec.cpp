#include "sensors/gnuradio/codec.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "sensors/packets/time_after.hpp"
#include "sensors/spead/format.hpp"
#include "sensors/spead/samples.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t number_bytes_before = sizeof(std::uint64_t);
/// Largest number of lost datagrams between two coalesced ones: the kernel coalesces those from one poll of
/// the network card. Samples misread as a number differ by more.
constexpr std::uint64_t most_between = 65'536;

}  // namespace

double GnuradioCodec::packets_per_second() const {
  return format_.type.rate_hz * static_cast<double>(format_.type.data_size().count / format_.payload_bytes);
}

std::optional<std::int64_t> GnuradioCodec::utc_of(std::span<const std::byte> packet) const {
  if (!format_.has_sequence || packet.size() < number_bytes_before) return {};
  std::uint64_t number = 0;
  std::memcpy(&number, packet.data(), sizeof number);
  return time_after(first_utc_ns_, (static_cast<double>(number) - 1) / packets_per_second());
}

std::span<const std::string_view> GnuradioCodec::causes() const {
  static constexpr std::array<std::string_view, 1> names{"size"};
  return names;
}

std::size_t GnuradioCodec::damage(std::vector<std::byte>& packet, std::uint64_t) const {
  // An empty datagram is an end mark.
  packet.resize(packet.size() > 1 ? packet.size() - 1 : 1);
  return 0;
}

bool GnuradioCodec::shift(std::span<std::byte> packet, std::int64_t packets) const {
  if (!format_.has_sequence || packet.size() < number_bytes_before) return false;
  std::uint64_t number = 0;
  std::memcpy(&number, packet.data(), sizeof number);
  number += static_cast<std::uint64_t>(packets);
  std::memcpy(packet.data(), &number, sizeof number);
  return true;
}

std::size_t GnuradioCodec::coalesced(std::span<const std::byte> datagram, std::size_t) const {
  const std::size_t prefix = format_.has_sequence ? number_bytes_before : 0;
  const std::size_t length = prefix + format_.payload_bytes;
  if (datagram.size() <= length) return 0;
  // A datagram of an unexpected length is split only if it holds at least two payloads.
  if (!format_.has_sequence) return datagram.size() >= 2 * length ? length : 0;
  std::uint64_t before = 0;
  for (std::size_t at = 0; at < datagram.size(); at += length) {
    if (datagram.size() - at <= prefix) return 0;
    std::uint64_t number = 0;
    std::memcpy(&number, datagram.data() + at, sizeof number);
    const std::uint64_t distance = number > before ? number - before : before - number;
    if (number == 0 || (at > 0 && (distance == 0 || distance > most_between))) return 0;
    before = number;
  }
  return length;
}

namespace {

const GnuradioSynthesisOptions& valid(const GnuradioSynthesisOptions& options) {
  validate(options.format);
  validate(options.signal, 1, false);
  return options;
}

double sample_rate(const GnuradioUdpFormat& format) {
  return format.type.rate_hz *
         static_cast<double>(format.type.data_size().count / size_of(format.type.element));
}

}  // namespace

GnuradioSynthesis::GnuradioSynthesis(GnuradioSynthesisOptions options)
    : options_((valid(options), std::move(options))),
      codec_(options_.format, options_.second * 1'000'000'000),
      signal_(options_.signal, options_.tone_hz, sample_rate(options_.format), options_.second,
              {.parts = numbers_of(options_.format.type.element)},
              options_.format.payload_bytes / number_bytes(options_.format.type.element)),
      numbers_(options_.format.payload_bytes / number_bytes(options_.format.type.element)),
      packet_(number_bytes_before + options_.format.payload_bytes) {}

std::optional<LanePacket> GnuradioSynthesis::next() {
  const std::size_t elements = numbers_.size() / numbers_of(options_.format.type.element);
  signal_.make(number_, number_ * elements, 0, numbers_);
  ++number_;
  std::memcpy(packet_.data(), &number_, sizeof number_);
  encode_numbers(options_.format.type.element, false, numbers_,
                 std::span(packet_).subspan(number_bytes_before));
  return LanePacket{0, packet_};
}

}  // namespace takt::sensors
