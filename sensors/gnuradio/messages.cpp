#include "sensors/gnuradio/messages.hpp"

#include <array>
#include <cmath>
#include <cstring>

#include "sensors/packets/time_after.hpp"
#include "sensors/streams/gnuradio_tags.hpp"

namespace takt::sensors {

namespace {

/// Size of a datagram's number; offset of the number in a tag header.
constexpr std::size_t datagram_number_bytes = 8, offset_at = 3;

}  // namespace

std::optional<std::int64_t> GnuradioMessageCodec::utc_of(std::span<const std::byte> packet) const {
  const std::optional<GnuradioHeader> header = read_gnuradio_header(packet);
  if (!header) return {};
  const double messages = static_cast<double>(header->offset) / static_cast<double>(items_);
  return time_after(first_utc_ns_, messages / messages_per_second_);
}

std::span<const std::string_view> GnuradioMessageCodec::causes() const {
  static constexpr std::array<std::string_view, 1> names{"header"};
  return names;
}

std::size_t GnuradioMessageCodec::damage(std::vector<std::byte>& packet, std::uint64_t) const {
  packet.front() ^= std::byte{1};
  return 0;
}

bool GnuradioMessageCodec::shift(std::span<std::byte> packet, std::int64_t packets) const {
  const std::optional<GnuradioHeader> header = read_gnuradio_header(packet);
  const std::int64_t items = packets * static_cast<std::int64_t>(items_);
  if (!header || (items < 0 && header->offset < static_cast<std::uint64_t>(-items))) return false;
  const std::uint64_t offset = header->offset + static_cast<std::uint64_t>(items);
  std::memcpy(packet.data() + offset_at, &offset, sizeof offset);
  return true;
}

GnuradioMessages::GnuradioMessages(const GnuradioSynthesisOptions& options)
    : datagrams_(options),
      items_(options.format.payload_bytes / size_of(options.format.type.element)),
      codec_(datagrams_.codec().packets_per_second(), items_, options.second * 1'000'000'000) {}

std::optional<LanePacket> GnuradioMessages::next() {
  const std::optional<LanePacket> datagram = datagrams_.next();
  const std::span<const std::byte> items = datagram->bytes.subspan(datagram_number_bytes);
  message_ = make_gnuradio_header(messages_++ * items_);
  message_.insert(message_.end(), items.begin(), items.end());
  return LanePacket{0, message_};
}

}  // namespace takt::sensors
