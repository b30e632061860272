#pragma once
/// Reservations of the links of a network: one message at a time on each.

#include <map>
#include <span>
#include <unordered_map>

#include "core/network.hpp"

namespace takt::logp {

class LinkTimes {
 public:
  /// Reserves the first interval of this length from `ready` on in which all these links are free, and
  /// returns its start; an operation of length 0, without bytes, never waits. O(log n) for n messages on a
  /// link, plus the number of free intervals that are too short.
  Time book(std::span<const LinkId> links, Time ready, Time length);

  /// Drops reservations that end before `time`, when no later call has an earlier `ready`.
  void forget_before(Time time);

 private:
  [[nodiscard]] Time first_free(LinkId link, Time ready, Time length);

  /// Start and end of each link's messages.
  std::unordered_map<LinkId, std::map<Time, Time>> busy_;
};

}  // namespace takt::logp
