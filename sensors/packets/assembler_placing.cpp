/// Payloads received directly at their places, and the correction of wrong places.

#include <algorithm>
#include <array>
#include <cstring>

#include "sensors/packets/assembler.hpp"

namespace takt::sensors {

void Assembler::expect(std::size_t lane, std::span<std::byte*> places) {
  std::ranges::fill(places, nullptr);
  if (!begun_ || grid_.scatter || grid_.unpack) return;
  if (asides_.empty()) asides_.resize(most_arrivals * grid_.payload_bytes);
  const std::int64_t first = lanes_[lane].newest + 1;
  const auto frames = static_cast<std::int64_t>(open_.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::int64_t packet = first + static_cast<std::int64_t>(i), frame = packet / packets_;
    if (frame < next_frame_) continue;
    if (frame >= next_frame_ + frames || packet > newest_ + reach_) return;
    Open& expected = open(frame);
    if (!expected.slot && expected.packets == 0) expected.slot = frames_.acquire();
    if (expected.slot)
      places[i] = part(*expected.slot, lane, static_cast<std::size_t>(packet % packets_)).data();
  }
}

void Assembler::take(std::size_t lane, std::span<Arrival> arrivals, std::int64_t now_ns) {
  settle(lane, arrivals);
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    pending_ = arrivals.subspan(i + 1);
    take(lane, arrivals[i].tick, arrivals[i].payload, now_ns);
  }
  pending_ = {};
}

/// Returns the present place of the packet's payload; null if the payload will be copied or
/// discarded.
std::byte* Assembler::free_place(std::size_t lane, std::uint64_t tick) const {
  const auto distance = static_cast<std::int64_t>(tick - origin_);
  if (!begun_ || distance < 0 || !is_near(distance)) return nullptr;
  const std::int64_t packet = distance / grid_.ticks_per_packet, frame = packet / packets_;
  if (frame < next_frame_ || frame >= next_frame_ + static_cast<std::int64_t>(open_.size())) return nullptr;
  if (packet <= newest_ && lanes_[lane].seen.test(packet)) return nullptr;
  const FrameSlot* const slot = open_[static_cast<std::size_t>(frame) % open_.size()].slot;
  return slot ? part(*slot, lane, static_cast<std::size_t>(packet % packets_)).data() : nullptr;
}

/// Moves each payload to its own place or out of all frames. No payload overwrites another, and no place
/// holds a foreign payload.
void Assembler::settle(std::size_t lane, std::span<Arrival> arrivals) {
  next_aside_ = 0;
  std::array<std::byte*, most_arrivals> places{};
  bool all_right = true;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    places[i] = free_place(lane, arrivals[i].tick);
    all_right = all_right && (!arrivals[i].is_placed || places[i] == arrivals[i].payload.data()) &&
                (i == 0 || arrivals[i].tick > arrivals[i - 1].tick);
  }
  if (all_right) return;
  // Of two copies of a packet the first one counts.
  const auto is_repeated = [&](std::size_t i) {
    return std::find(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(i), places[i]) !=
           places.begin() + static_cast<std::ptrdiff_t>(i);
  };
  const auto holds_other = [&](const std::byte* place, std::size_t before) {
    return std::ranges::any_of(arrivals.first(before), [&](const Arrival& arrival) {
      return arrival.is_placed && arrival.payload.data() == place;
    });
  };
  // The last one first: after a loss, its successor has just vacated its place.
  for (std::size_t i = arrivals.size(); i-- > 0;) {
    Arrival& arrival = arrivals[i];
    if (!arrival.is_placed) continue;
    std::byte* const place = places[i] && is_repeated(i) ? nullptr : places[i];
    if (place == arrival.payload.data()) continue;
    if (place && !holds_other(place, i)) {
      std::memcpy(place, arrival.payload.data(), arrival.payload.size());
      arrival.payload = {place, arrival.payload.size()};
    } else {
      put_aside(arrival);
    }
  }
}

void Assembler::put_aside(Arrival& arrival) {
  std::byte* const aside = asides_.data() + next_aside_++ * grid_.payload_bytes;
  std::memcpy(aside, arrival.payload.data(), arrival.payload.size());
  arrival.payload = {aside, arrival.payload.size()};
  arrival.is_placed = false;
}

/// Saves pending payloads in frames before this one, which are about to be handed over; they will be late.
void Assembler::rescue_before(std::int64_t frame) {
  for (Arrival& arrival : pending_) {
    if (!arrival.is_placed) continue;
    const std::int64_t packet = static_cast<std::int64_t>(arrival.tick - origin_) / grid_.ticks_per_packet;
    if (packet / packets_ < frame) put_aside(arrival);
  }
}

}  // namespace takt::sensors
