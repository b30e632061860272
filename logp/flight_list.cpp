#include "logp/flight_list.hpp"

#include <algorithm>

namespace takt::logp {

namespace {

std::ptrdiff_t offset(std::size_t index) {
  return static_cast<std::ptrdiff_t>(index);
}

}  // namespace

template <class Before>
FlightList::Place FlightList::partition_point(Before before) const {
  const auto block = std::partition_point(blocks_.begin(), blocks_.end(),
                                          [&](const auto& each) { return before(each.back().enter); });
  if (block == blocks_.end()) return end();
  const auto flight = std::partition_point(block->begin(), block->end(),
                                           [&](const Flight& each) { return before(each.enter); });
  return {blocks_, static_cast<std::size_t>(block - blocks_.begin()),
          static_cast<std::size_t>(flight - block->begin())};
}

FlightList::Place FlightList::first_from(Time time) const {
  return partition_point([time](Time enter) { return enter < time; });
}

FlightList::Place FlightList::first_after(Time time) const {
  return partition_point([time](Time enter) { return enter <= time; });
}

std::ptrdiff_t FlightList::count(const Place& from, const Place& to) {
  std::ptrdiff_t count = offset(to.index_) - offset(from.index_);
  for (std::size_t block = from.block_; block < to.block_; ++block)
    count += offset((*from.blocks_)[block].size());
  return count;
}

void FlightList::insert(const Flight& flight) {
  ++size_;
  if (blocks_.empty()) {
    blocks_.push_back({flight});
    return;
  }
  const Place place = first_after(flight.enter);
  // The position after the last one is at the end of the last block.
  const bool is_last = place == end();
  const std::size_t number = is_last ? blocks_.size() - 1 : place.block_;
  std::vector<Flight>& block = blocks_[number];
  block.insert(block.begin() + offset(is_last ? block.size() : place.index_), flight);
  if (block.size() < most_in_block) return;
  // Flights mostly come in order: a full last block stays full.
  const auto middle = block.begin() + offset(is_last ? block.size() - 1 : block.size() / 2);
  std::vector<Flight> rest(middle, block.end());
  block.erase(middle, block.end());
  blocks_.insert(blocks_.begin() + offset(number + 1), std::move(rest));
}

void FlightList::erase(const Flight& flight) {
  for (Place place = first_from(flight.enter); place != end() && place->enter == flight.enter; ++place) {
    if (*place != flight) continue;
    std::vector<Flight>& block = blocks_[place.block_];
    block.erase(block.begin() + offset(place.index_));
    if (block.empty()) blocks_.erase(blocks_.begin() + offset(place.block_));
    --size_;
    return;
  }
}

}  // namespace takt::logp
