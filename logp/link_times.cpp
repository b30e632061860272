#include "logp/link_times.hpp"

#include <algorithm>
#include <iterator>

namespace takt::logp {

Time LinkTimes::first_free(LinkId link, Time ready, Time length) {
  const std::map<Time, Time>& busy = busy_[link];
  auto next = busy.upper_bound(ready);
  if (next != busy.begin()) ready = std::max(ready, std::prev(next)->second);
  for (; next != busy.end() && next->first < ready + length; ++next) ready = std::max(ready, next->second);
  return ready;
}

Time LinkTimes::book(std::span<const LinkId> links, Time ready, Time length) {
  if (length == Time{0}) return ready;
  // Each round skips conflicts on some links, until there is none on any.
  for (Time before = ready - Time{1}; before != ready;) {
    before = ready;
    for (LinkId link : links) ready = first_free(link, ready, length);
  }
  for (LinkId link : links) busy_[link].emplace(ready, ready + length);
  return ready;
}

void LinkTimes::forget_before(Time time) {
  for (auto& [link, busy] : busy_)
    while (!busy.empty() && busy.begin()->second <= time) busy.erase(busy.begin());
}

}  // namespace takt::logp
