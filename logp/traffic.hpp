#pragma once
/// The messages of a schedule in the network: the costs of each one, and the number in flight.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/schedule.hpp"
#include "logp/flights.hpp"
#include "logp/machine.hpp"
#include "logp/message_costs.hpp"

namespace takt::logp {

/// A message's costs, and the largest number of messages in flight.
struct FlightCosts : MessageCosts {
  FlightCosts(const Machine& machine, const Message& message);

  /// ceil(L / g) at the sender and at the receiver.
  std::int64_t send_capacity = Flight::unlimited;
  std::int64_t receive_capacity = Flight::unlimited;
};

/// The costs of each message of a schedule, by its number. Messages of equal size and link costs share an
/// entry: two million messages would otherwise need a hundred megabytes.
class FlightCostTable {
 public:
  FlightCostTable(const Machine& machine, const Schedule& schedule);
  [[nodiscard]] const FlightCosts& operator[](std::size_t message) const { return different_[of_[message]]; }
  /// Returns each distinct entry once.
  [[nodiscard]] std::span<const FlightCosts> different() const { return different_; }

 private:
  std::vector<FlightCosts> different_;
  std::vector<std::uint32_t> of_;
};

/// The flights from and to every processor. Messages with a route are on their links instead, and count
/// there.
class Traffic {
 public:
  /// `costs` must outlive the traffic. If no message has a limited capacity, no flights are recorded.
  Traffic(std::size_t processors, const FlightCostTable& costs);

  /// Returns nothing if the message may be sent at this time, otherwise a later time before which it may not.
  [[nodiscard]] std::optional<Time> conflict(const Schedule& schedule, MessageId message,
                                             Time send_start) const;
  void add(const Schedule& schedule, MessageId message, Time send_start);
  void remove(const Schedule& schedule, MessageId message, Time send_start);

  /// Raises the period, processor by processor, to the least one with which its flights can repeat. That can
  /// put another one above its capacity: the period is valid when it no longer changes.
  [[nodiscard]] Time least_repetition(Time repetition) const;

 private:
  struct Pair {
    Flight at_sender;
    Flight at_receiver;
  };
  [[nodiscard]] Pair flights(MessageId message, Time send_start) const;

  const FlightCostTable& costs_;
  bool limited_ = false;
  std::vector<Flights> from_, to_;
};

/// Returns the least time after which a schedule's operations can repeat: its largest occupancy, or longer if
/// the gap between a processor's last send (or receive) and the first one of the next iteration, or the
/// capacity, requires it.
[[nodiscard]] Time repetition_of(const Schedule& schedule, const FlightCostTable& costs,
                                 const Traffic& traffic);

/// Sets Schedule::least_repetition, for schedulers that compute their own times.
void set_least_repetition(const Machine& machine, Schedule& schedule);

}  // namespace takt::logp
