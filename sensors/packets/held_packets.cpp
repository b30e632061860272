#include "sensors/packets/held_packets.hpp"

#include <algorithm>
#include <numeric>

namespace takt::sensors {

void HeldPackets::reserve(std::size_t packets) {
  places_.reserve(packets);
  payloads_.reserve(packets * payload_bytes_);
}

void HeldPackets::put(std::size_t lane, std::uint64_t tick, std::span<const std::byte> payload) {
  places_.push_back({lane, tick});
  payloads_.insert(payloads_.end(), payload.begin(), payload.end());
}

HeldPackets::Packet HeldPackets::operator[](std::size_t index) const {
  const auto [lane, tick] = places_[index];
  return {lane, tick, std::span(payloads_).subspan(index * payload_bytes_, payload_bytes_)};
}

std::vector<std::size_t> HeldPackets::in_order() const {
  std::vector<std::size_t> order(places_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return places_[i].tick; });
  return order;
}

void HeldPackets::clear() {
  places_.clear();
  payloads_.clear();
}

}  // namespace takt::sensors
