#include "logp/cost.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace takt::logp {

Cost::Cost(std::vector<Segment> segments) : segments_(std::move(segments)) {
  const bool ascending = std::is_sorted(segments_.begin(), segments_.end(),
                                        [](const Segment& a, const Segment& b) { return a.from <= b.from; });
  if (segments_.empty() || segments_.front().from != Bytes{0} || !ascending)
    throw ConfigError("a cost needs segments in ascending order of their first size, the first from 0");
}

Time Cost::at(Bytes size) const {
  auto after = std::upper_bound(segments_.begin(), segments_.end(), size,
                                [](Bytes bytes, const Segment& segment) { return bytes < segment.from; });
  const Segment& segment = *std::prev(after);
  return Time(std::llround(segment.constant + segment.per_byte * static_cast<double>(size.count)));
}

bool Cost::is_zero() const {
  return std::all_of(segments_.begin(), segments_.end(),
                     [](const Segment& segment) { return segment.constant == 0 && segment.per_byte == 0; });
}

}  // namespace takt::logp
