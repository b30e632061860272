#include "sensors/emulator/paced_packets.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace takt::sensors {

namespace {

/// A wrong time within this distance shifts a stream by at most a second.
constexpr std::int64_t least_far_ns = 1'000'000'000;
/// A damaged header can contain any time: larger distances are limited to this.
constexpr long double farthest_ns = 4e18L;

}  // namespace

PacedPackets::PacedPackets(PacketStream& stream, double speed, double packet_rate)
    : stream_(stream), speed_(speed), packet_rate_(packet_rate), far_ns_(least_far_ns) {
  const double rate = stream.codec().packets_per_second() * speed;
  if (rate > 0) far_ns_ = std::max<std::int64_t>(far_ns_, std::llround(std::min(1e9 / rate, 4e18)));
}

std::optional<DuePacket> PacedPackets::next() {
  std::optional<LanePacket> packet = take();
  if (!packet) return {};
  const std::int64_t moment = due(*packet);
  ++number_;
  return DuePacket{*packet, moment};
}

std::optional<LanePacket> PacedPackets::take() {
  if (ahead_.empty()) return stream_.next();
  shown_ = std::move(ahead_.front());
  ahead_.pop_front();
  return LanePacket{shown_.lane, shown_.bytes, shown_.utc_ns};
}

std::optional<std::int64_t> PacedPackets::utc_of(const LanePacket& packet) const {
  // A capture contains the arrival time of each packet, whatever its content.
  return packet.utc_ns ? packet.utc_ns : stream_.codec().utc_of(packet.bytes);
}

std::int64_t PacedPackets::time_of(std::int64_t utc_ns) const {
  const long double since = static_cast<long double>(utc_ns) - base_utc_;
  return std::llround(std::clamp(since / static_cast<long double>(speed_), -farthest_ns, farthest_ns));
}

std::int64_t PacedPackets::due(LanePacket& packet) {
  if (packet_rate_ > 0) return std::llround(static_cast<double>(number_) * 1e9 / packet_rate_);
  if (speed_ == 0) return 0;
  const std::optional<std::int64_t> utc = utc_of(packet);
  if (!utc) return last_;
  if (number_ == 0) base_utc_ = static_cast<long double>(*utc);
  const std::int64_t time = time_of(*utc);
  const std::int64_t moment = std::abs(time - last_) > far_ns_ ? settle(*utc, packet) : time;
  last_ = std::max(last_, moment);
  return last_;
}

std::int64_t PacedPackets::settle(std::int64_t utc_ns, LanePacket& packet) {
  look_ahead(packet);
  const std::int64_t time = time_of(utc_ns);
  const bool is_later = time > last_;
  std::size_t agree = 0, known = 0;
  for (const Held& held : ahead_) {
    if (!held.utc_ns) continue;
    const std::int64_t other = time_of(*held.utc_ns);
    ++known;
    agree += (is_later ? other >= time : other < last_) ? 1 : 0;
  }
  if (known > 0 && 2 * agree <= known) return last_;
  std::int64_t moment = last_;
  if (is_later) {
    if (known > 0 && number_ > 1) return time;
    // The last packet has no witness, and the first one may have the wrong time.
    moment = last_ + far_ns_;
  }
  base_utc_ =
      static_cast<long double>(utc_ns) - static_cast<long double>(moment) * static_cast<long double>(speed_);
  return moment;
}

void PacedPackets::look_ahead(LanePacket& packet) {
  if (packet.bytes.data() != shown_.bytes.data() || shown_.bytes.empty()) {
    shown_ = held(packet);
    packet.bytes = shown_.bytes;
  }
  while (ahead_.size() < witnesses) {
    const std::optional<LanePacket> after = stream_.next();
    if (!after) return;
    ahead_.push_back(held(*after));
  }
}

PacedPackets::Held PacedPackets::held(const LanePacket& packet) const {
  return {packet.lane, {packet.bytes.begin(), packet.bytes.end()}, utc_of(packet)};
}

}  // namespace takt::sensors
