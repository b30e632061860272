#pragma once
/// Which messages are in the network, seen from one processor: LogP's capacity of ceil(L / g).

#include <cstdint>
#include <limits>
#include <optional>
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

/// The flights from, or to, one processor. At no instant may there be more of them than the smallest capacity
/// of those in flight. Adding and removing is cheap near the latest flight; asking takes O(log n), and O(k
/// log k) for k flights near the capacity.
class Flights {
 public:
  void add(const Flight& flight);
  void remove(const Flight& flight);

  /// Nothing when the flight may be added, otherwise a later time before which it cannot enter.
  [[nodiscard]] std::optional<Time> conflict(const Flight& flight) const;

  /// The least repetition, not below `repetition`, with which all flights can repeat without exceeding the
  /// capacity; the flights of one repetition must not exceed it among themselves. O(n log n) for each
  /// repetition tried.
  [[nodiscard]] Time least_repetition(Time repetition) const;

 private:
  /// An instant at which too many are in flight when all repeat with this repetition.
  [[nodiscard]] std::optional<Time> find_excess(Time repetition) const;
  /// The least longer repetition that can help at that instant.
  [[nodiscard]] Time next_repetition(Time repetition, Time instant) const;

  /// In order of entering.
  std::vector<Flight> flights_;
  Time longest_{0};
  std::int64_t smallest_capacity_ = Flight::unlimited;
};

}  // namespace takt::logp
