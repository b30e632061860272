#pragma once
/// Which messages are in the network, seen from one processor: LogP's capacity of ceil(L / g).

#include <cstdint>
#include <optional>

#include "core/units.hpp"
#include "logp/flight_list.hpp"

namespace takt::logp {

/// The flights from, or to, one processor. At no instant may there be more of them than the smallest capacity
/// of those in flight. Adding and removing is O(sqrt n), cheapest behind the latest flight; asking takes
/// O(log n), and O(k log k) for k flights near the capacity.
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

  FlightList flights_;
  Time longest_{0};
  std::int64_t smallest_capacity_ = Flight::unlimited;
};

}  // namespace takt::logp
