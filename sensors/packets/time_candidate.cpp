#include "sensors/packets/time_candidate.hpp"

#include <algorithm>
#include <cstring>

namespace takt::sensors {

bool TimeCandidate::is_near(std::uint64_t tick, std::uint64_t other) const {
  const auto apart = static_cast<std::int64_t>(tick - other);
  return apart % limits_.ticks_per_packet == 0 && apart <= limits_.reach && apart >= -limits_.reach;
}

bool TimeCandidate::continues(std::uint64_t tick) const {
  if (number_ == 0) return false;
  if (is_near(tick, last_tick_)) return true;
  // One packet ahead may be a duplicated damaged one; two successive packets are a gap.
  const auto ahead = static_cast<std::int64_t>(latest_tick_ - last_tick_);
  return ahead > 0 && ahead <= limits_.longest_gap && ahead % limits_.ticks_per_packet == 0 &&
         tick != latest_tick_ && is_near(tick, latest_tick_);
}

void TimeCandidate::take(std::uint64_t tick, Kind kind, std::span<const std::byte> payload) {
  // Copies cancelled by a new packet do not start another run.
  const bool goes_on = continues(tick) && (has_evidence() || kind == Kind::far);
  latest_tick_ = tick;
  if (kind == Kind::late) {
    // A late packet is no evidence: the stream may have returned to its time, or the packet was delayed.
    if (goes_on) keep({tick, kind, number_}, payload);
    return;
  }
  if (!goes_on && has_evidence()) {
    --(far_ > 0 ? far_ : copies_);
    return keep({tick, kind, 0}, payload);
  }
  if (!goes_on) {
    ++number_;
    length_ = 0;
  }
  last_tick_ = tick;
  ++(kind == Kind::far ? far_ : copies_);
  length_ += kind == Kind::far ? 1 : 0;
  keep({tick, kind, number_}, payload);
}

void TimeCandidate::contradict() {
  copies_ = 0;
  far_ -= std::min<std::uint64_t>(far_, 1);
}

void TimeCandidate::clear() {
  far_ = copies_ = length_ = number_ = 0;
  places_.clear();
  payloads_.clear();
  first_ = 0;
}

void TimeCandidate::keep(const Place& place, std::span<const std::byte> payload) {
  if (places_.size() < limits_.kept_packets) {
    places_.push_back(place);
    payloads_.insert(payloads_.end(), payload.begin(), payload.end());
    return;
  }
  places_[first_] = place;
  std::memcpy(payloads_.data() + first_ * limits_.payload_bytes, payload.data(), payload.size());
  first_ = (first_ + 1) % limits_.kept_packets;
}

std::vector<TimeCandidate::Packet> TimeCandidate::packets() const {
  std::vector<Packet> packets;
  // Backwards from the latest packet, at most as far ahead as the candidate: random copies may lie there.
  // Includes the packets right before it, which arrived while another candidate had evidence.
  std::uint64_t tick = last_tick_;
  for (std::size_t i = places_.size(); i-- > 0;) {
    const std::size_t at = (first_ + i) % places_.size();
    const Place& place = places_[at];
    const bool is_ahead = static_cast<std::int64_t>(place.tick - last_tick_) > limits_.reach;
    const bool is_before = place.kind == Kind::far && is_near(place.tick, tick) &&
                           static_cast<std::int64_t>(tick - place.tick) > 0;
    if (place.candidate == number_ ? is_ahead : !is_before) continue;
    tick = place.tick;
    packets.push_back({place.tick, place.kind,
                       std::span(payloads_).subspan(at * limits_.payload_bytes, limits_.payload_bytes)});
  }
  std::ranges::reverse(packets);
  return packets;
}

}  // namespace takt::sensors
