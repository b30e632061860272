#include "logp/link_times.hpp"

#include <algorithm>
#include <iterator>

namespace takt::logp {

Time LinkTimes::book(LinkId link, Time ready, Time length) {
  if (length == Time{0}) return ready;
  std::map<Time, Time>& busy = busy_[link];
  auto next = busy.upper_bound(ready);
  if (next != busy.begin()) ready = std::max(ready, std::prev(next)->second);
  for (; next != busy.end() && next->first < ready + length; ++next) ready = std::max(ready, next->second);
  busy.emplace(ready, ready + length);
  return ready;
}

void LinkTimes::forget_before(Time time) {
  for (auto& [link, busy] : busy_)
    while (!busy.empty() && busy.begin()->second <= time) busy.erase(busy.begin());
}

}  // namespace takt::logp
