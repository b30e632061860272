#include "sensors/suspects.hpp"

#include <algorithm>
#include <cstring>
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

void Suspects::add(std::uint64_t tick, Kind kind, std::span<const std::byte> payload) {
  ++length_;
  if (kind == Kind::far) ++far_;
  if (kind == Kind::duplicate || kind == Kind::early) ++repetitions_;
  last_tick_ = tick;
  if (places_.size() < most_kept) {
    places_.push_back({tick, kind});
    payloads_.insert(payloads_.end(), payload.begin(), payload.end());
    return;
  }
  places_[first_] = {tick, kind};
  std::memcpy(payloads_.data() + first_ * payload_bytes_, payload.data(), payload.size());
  first_ = (first_ + 1) % most_kept;
}

Suspects::Packet Suspects::operator[](std::size_t index) const {
  const std::size_t at = (first_ + index) % places_.size();
  return {places_[at].tick, places_[at].kind,
          std::span(payloads_).subspan(at * payload_bytes_, payload_bytes_)};
}

std::size_t Suspects::overtaken() const {
  std::size_t overtaken = 0;
  for (std::size_t i = 1; i < size(); ++i) {
    bool is_behind = false, is_copy = false;
    for (std::size_t before = 0; before < i; ++before) {
      is_behind = is_behind || (*this)[before].tick > (*this)[i].tick;
      is_copy = is_copy || (*this)[before].tick == (*this)[i].tick;
    }
    overtaken += is_behind && !is_copy ? 1 : 0;
  }
  return overtaken;
}

void Suspects::clear() {
  places_.clear();
  payloads_.clear();
  first_ = length_ = far_ = repetitions_ = 0;
}

}  // namespace takt::sensors
