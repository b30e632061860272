#pragma once
/// Flights in the order in which they enter the network.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/units.hpp"

namespace takt::logp {

/// A message in flight from `enter` up to but not including `leave`, with `capacity` = ceil(L / g) of its
/// size.
struct Flight {
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

  Time enter{0};
  Time leave{0};
  std::int64_t capacity = unlimited;

  friend bool operator==(const Flight&, const Flight&) = default;
};

/// A sorted sequence in blocks of some hundred flights: a flight moves those of its block only, wherever it
/// comes in. Of equal times the first one that was added comes first.
class FlightList {
 public:
  /// A place in the sequence, good until the next change.
  class Place {
   public:
    [[nodiscard]] const Flight& operator*() const { return (*blocks_)[block_][index_]; }
    [[nodiscard]] const Flight* operator->() const { return &**this; }
    Place& operator++() {
      if (++index_ == (*blocks_)[block_].size()) {
        ++block_;
        index_ = 0;
      }
      return *this;
    }
    friend bool operator==(const Place& a, const Place& b) {
      return a.block_ == b.block_ && a.index_ == b.index_;
    }

   private:
    friend class FlightList;
    Place(const std::vector<std::vector<Flight>>& blocks, std::size_t block, std::size_t index)
        : blocks_(&blocks), block_(block), index_(index) {}

    const std::vector<std::vector<Flight>>* blocks_;
    std::size_t block_, index_;
  };

  /// O(n / b + b) for blocks of b flights, O(1) behind the last one.
  void insert(const Flight& flight);
  /// One that is equal, if there is one.
  void erase(const Flight& flight);

  [[nodiscard]] bool empty() const { return blocks_.empty(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Flight& front() const { return blocks_.front().front(); }
  [[nodiscard]] const Flight& back() const { return blocks_.back().back(); }
  [[nodiscard]] Place begin() const { return {blocks_, 0, 0}; }
  [[nodiscard]] Place end() const { return {blocks_, blocks_.size(), 0}; }
  /// The first one that enters at `time` or later, and later than `time`. O(log n).
  [[nodiscard]] Place first_from(Time time) const;
  [[nodiscard]] Place first_after(Time time) const;
  /// How many there are from one place up to another one behind it. O(blocks between them).
  [[nodiscard]] static std::ptrdiff_t count(const Place& from, const Place& to);

 private:
  static constexpr std::size_t most_in_block = 512;

  /// The first place whose flight does not come `before` (by its time of entering), which must hold for the
  /// first ones.
  template <class Before>
  [[nodiscard]] Place partition_point(Before before) const;

  /// None is empty.
  std::vector<std::vector<Flight>> blocks_;
  std::size_t size_ = 0;
};

}  // namespace takt::logp
