#include "schedulers/common/timeline.hpp"

#include <algorithm>

namespace takt::schedulers {

Time Timeline::earliest(Time from, Time length) const {
  // A gap that ends at `from` still holds a task of no length. The endless gap holds everything: the search
  // ends.
  auto gap = std::partition_point(gaps_.begin(), gaps_.end(), [&](const Gap& g) { return g.end < from; });
  for (;; ++gap) {
    const Time start = std::max(from, gap->start);
    if (gap->end - start >= length) return start;
  }
}

void Timeline::reserve(Time start, Time length) {
  if (length == Time{0}) return;
  const auto gap =
      std::partition_point(gaps_.begin(), gaps_.end(), [&](const Gap& g) { return g.end <= start; });
  const Gap before{gap->start, start}, after{start + length, gap->end};
  const bool keep_before = before.start < before.end, keep_after = after.start < after.end;
  if (keep_before && keep_after) {
    *gap = after;
    gaps_.insert(gap, before);
  } else if (keep_before) {
    *gap = before;
  } else if (keep_after) {
    *gap = after;
  } else {
    gaps_.erase(gap);
  }
}

}  // namespace takt::schedulers
