#pragma once
/// When the links of a network carry messages: one at a time on each.

#include <map>
#include <unordered_map>

#include "core/network.hpp"

namespace takt::logp {

class LinkTimes {
 public:
  /// Takes the first hole of this length that begins at `ready` or later, and returns its start; what takes
  /// no time, as it has no bytes, waits for nothing. O(log n) for n messages on the link, and the number of
  /// holes that are too short.
  Time book(LinkId link, Time ready, Time length);

  /// Says that nothing will be ready before this time any more, so that what has ended need not be kept.
  void forget_before(Time time);

 private:
  /// Start and end of what each link carries.
  std::unordered_map<LinkId, std::map<Time, Time>> busy_;
};

}  // namespace takt::logp
