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

namespace {

/// As std::llround does, halves away from zero, without a call: searches ask for costs all the time.
std::int64_t rounded(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  const double rest = value - static_cast<double>(whole);
  return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
}

}  // namespace

Time Cost::at(Bytes size) const {
  auto after = segments_.end();
  if (segments_.size() > 1)
    after = std::upper_bound(segments_.begin(), segments_.end(), size,
                             [](Bytes bytes, const Segment& segment) { return bytes < segment.from; });
  const Segment& segment = *std::prev(after);
  constexpr auto limit = static_cast<double>(most.count());
  const double exact = segment.constant + segment.per_byte * static_cast<double>(size.count);
  return Time(rounded(std::clamp(exact, -limit, limit)));
}

bool Cost::is_zero() const {
  return std::all_of(segments_.begin(), segments_.end(),
                     [](const Segment& segment) { return segment.constant == 0 && segment.per_byte == 0; });
}

std::optional<Bytes> Cost::first_below_zero() const {
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const auto& [from, constant, per_byte] = segments_[i];
    // Of a straight line, the ends are the least; the last one falls without end.
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
    const Bytes from{static_cast<std::uint64_t>(crossing)};
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
