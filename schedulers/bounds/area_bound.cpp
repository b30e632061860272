#include "schedulers/bounds/area_bound.hpp"

#include <algorithm>

namespace takt::schedulers {

Time area_bound(std::vector<Time> free, Time work) {
  std::sort(free.begin(), free.end());
  Time least = Time::max();
  Time::rep count = 0;
  for (Time from : free) {
    if (from >= least) break;
    work += from;
    ++count;
    least = std::min(least, Time((work.count() + count - 1) / count));
  }
  return least;
}

}  // namespace takt::schedulers
