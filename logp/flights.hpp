#pragma once
/// Messages in the network, from the view of one processor: LogP's capacity of ceil(L / g).

#include <cstdint>
#include <optional>

#include "core/units.hpp"
#include "logp/flight_list.hpp"

namespace takt::logp {

/// The flights from, or to, one processor. At any instant their number may not exceed the smallest capacity
/// of those in flight. Adding and removing is O(sqrt n), cheapest at the end; queries take O(log n), and O(k
/// log k) for k flights near the capacity.
class Flights {
 public:
  void add(const Flight& flight);
  void remove(const Flight& flight);

  /// Returns nothing if the flight may be added, otherwise a later time before which it cannot enter.
  [[nodiscard]] std::optional<Time> conflict(const Flight& flight) const;

  /// Returns the least period, not below `repetition`, with which
  /// all flights can repeat within the capacity; the flights of one
  /// iteration must not exceed it. O(n log n) for each tried period.
  [[nodiscard]] Time least_repetition(Time repetition) const;

 private:
  /// Returns an instant with too many flights when all repeat with this period.
  [[nodiscard]] std::optional<Time> find_excess(Time repetition) const;
  /// Returns the least longer period that may help at that instant.
  [[nodiscard]] Time next_repetition(Time repetition, Time instant) const;

  FlightList flights_;
  Time longest_{0};
  std::int64_t smallest_capacity_ = Flight::unlimited;
};

}  // namespace takt::logp
