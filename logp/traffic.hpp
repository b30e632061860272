#pragma once
/// The messages of a schedule in the network: what each one costs, and how many are in flight.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/schedule.hpp"
#include "logp/flights.hpp"
#include "logp/machine.hpp"
#include "logp/message_costs.hpp"

namespace takt::logp {

/// A message's costs, and how many like it may be in flight.
struct FlightCosts : MessageCosts {
  FlightCosts(const Machine& machine, const Message& message);

  /// ceil(L / g) at the sender and at the receiver.
  std::int64_t send_capacity = Flight::unlimited;
  std::int64_t receive_capacity = Flight::unlimited;
};

/// The costs of each message of a schedule, by its number. Messages of one size between processors whose
/// messages cost the same share an entry: of two million messages they would be a hundred megabytes.
class FlightCostTable {
 public:
  FlightCostTable(const Machine& machine, const Schedule& schedule);
  [[nodiscard]] const FlightCosts& operator[](std::size_t message) const { return different_[of_[message]]; }
  /// Each one that there is, once.
  [[nodiscard]] std::span<const FlightCosts> different() const { return different_; }

 private:
  std::vector<FlightCosts> different_;
  std::vector<std::uint32_t> of_;
};

/// The flights from and to every processor. Messages with a route are on their links instead, and count
/// there.
class Traffic {
 public:
  /// `costs` must outlive the traffic. Where no message has a limited capacity, nothing is recorded.
  Traffic(std::size_t processors, const FlightCostTable& costs);

  /// Nothing when the message may be sent at this time, otherwise a later time before which it may not.
  [[nodiscard]] std::optional<Time> conflict(const Schedule& schedule, MessageId message,
                                             Time send_start) const;
  void add(const Schedule& schedule, MessageId message, Time send_start);
  void remove(const Schedule& schedule, MessageId message, Time send_start);

  /// Raises the repetition for each processor in turn to the least one with which its flights can repeat.
  /// That can bring another one above its capacity: the repetition is right when it stays.
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

/// The least time after which a schedule's operations can repeat: its largest occupancy, or longer where the
/// gap between a processor's last send (or receive) and the first one of the next repetition, or the
/// capacity, demands it.
[[nodiscard]] Time repetition_of(const Schedule& schedule, const FlightCostTable& costs,
                                 const Traffic& traffic);

/// Fills in Schedule::least_repetition: for schedulers that make their times themselves.
void set_least_repetition(const Machine& machine, Schedule& schedule);

}  // namespace takt::logp
