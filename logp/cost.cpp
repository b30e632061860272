#include "logp/cost.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::logp {

Cost::Cost(std::vector<Segment> segments) : segments_(std::move(segments)) {
  const bool ascending = std::is_sorted(segments_.begin(), segments_.end(),
                                        [](const Segment& a, const Segment& b) { return a.from <= b.from; });
  if (segments_.empty() || segments_.front().from != Bytes{0} || !ascending)
    throw ConfigError("a cost needs segments in ascending order of their first size, the first from 0");
}

const Cost::Segment& Cost::segment_of(Bytes size) const {
  return *std::prev(
      std::upper_bound(segments_.begin(), segments_.end(), size,
                       [](Bytes bytes, const Segment& segment) { return bytes < segment.from; }));
}

bool Cost::is_zero() const {
  return std::all_of(segments_.begin(), segments_.end(),
                     [](const Segment& segment) { return segment.constant == 0 && segment.per_byte == 0; });
}

std::optional<Bytes> Cost::first_below_zero() const {
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const auto& [from, constant, per_byte] = segments_[i];
    // The minimum of a line is at an end; the last line may fall without a bound.
    if (at(from) < Time{0}) return from;
    if (per_byte >= 0) continue;
    const Bytes crossing{static_cast<std::uint64_t>(std::ceil((constant + 0.5) / -per_byte))};
    if (i + 1 == segments_.size() || crossing < segments_[i + 1].from) return crossing;
  }
  return std::nullopt;
}

Cost Cost::at_least_zero() const {
  std::vector<Segment> segments;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const Segment& line = segments_[i];
    const bool begins_above = line.constant + line.per_byte * static_cast<double>(line.from.count) > 0;
    segments.push_back(begins_above ? line : Segment{line.from, 0, 0});
    const bool crosses = begins_above ? line.per_byte < 0 : line.per_byte > 0;
    if (!crosses) continue;
    const double crossing = std::ceil(-line.constant / line.per_byte);
    const double end = i + 1 < segments_.size() ? static_cast<double>(segments_[i + 1].from.count) : 1e18;
    if (crossing >= end) continue;
    // A line that begins at zero crosses it there.
    const Bytes from{std::max(line.from.count, static_cast<std::uint64_t>(std::max(crossing, 0.0)))};
    if (from == line.from) segments.pop_back();
    segments.push_back(begins_above ? Segment{from, 0, 0} : Segment{from, line.constant, line.per_byte});
  }
  return Cost(std::move(segments));
}

void check(const LinkCosts& costs) {
  struct Named {
    const char* name;
    const Cost& cost;
  };
  for (const auto& [name, cost] :
       {Named{"send_overhead", costs.send_overhead}, Named{"receive_overhead", costs.receive_overhead},
        Named{"send_gap", costs.send_gap}, Named{"receive_gap", costs.receive_gap},
        Named{"backbone", costs.backbone}})
    if (const auto size = cost.first_below_zero())
      throw ConfigError(
          fmt::format("{} is below 0 for messages of {} bytes: only a latency can be", name, size->count));
}

}  // namespace takt::logp
