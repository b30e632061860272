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

/// A sorted sequence in blocks of some hundred flights: an insertion moves only the flights of its block. Of
/// equal times the first inserted one comes first.
class FlightList {
 public:
  /// A position in the sequence, valid until the next change.
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

  /// O(n / b + b) for blocks of b flights, O(1) at the end.
  void insert(const Flight& flight);
  /// Removes an equal flight, if there is one.
  void erase(const Flight& flight);

  [[nodiscard]] bool empty() const { return blocks_.empty(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Flight& front() const { return blocks_.front().front(); }
  [[nodiscard]] const Flight& back() const { return blocks_.back().back(); }
  [[nodiscard]] Place begin() const { return {blocks_, 0, 0}; }
  [[nodiscard]] Place end() const { return {blocks_, blocks_.size(), 0}; }
  /// Returns the first flight that enters at `time` or later; first_after(): later than `time`. O(log n).
  [[nodiscard]] Place first_from(Time time) const;
  [[nodiscard]] Place first_after(Time time) const;
  /// Returns the number of flights between two positions. O(blocks between them).
  [[nodiscard]] static std::ptrdiff_t count(const Place& from, const Place& to);

 private:
  static constexpr std::size_t most_in_block = 512;

  /// Returns the first position whose flight does not satisfy `before` (by its time of entering), which must
  /// hold for a prefix.
  template <class Before>
  [[nodiscard]] Place partition_point(Before before) const;

  /// No block is empty.
  std::vector<std::vector<Flight>> blocks_;
  std::size_t size_ = 0;
};

}  // namespace takt::logp
