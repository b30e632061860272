#include "logp/calibration/refine.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace takt::logp {

namespace {

/// Deviation, in tolerances, of `c`, which is a part of `whole`, from the line through `a` and `b`; 0 if it
/// may be due to chance.
double misses(const Point& a, const Point& b, const Point& c, double whole, const RefineOptions& options) {
  const double lever = (c.size - b.size) / (b.size - a.size);
  const double expected = b.median.value + lever * (b.median.value - a.median.value);
  const double error =
      std::hypot((1 + lever) * b.median.error, std::hypot(lever * a.median.error, c.median.error));
  const double miss = std::abs(expected - c.median.value);
  const double tolerated = std::max({options.tolerance * std::abs(c.median.value),
                                     options.round_trip_tolerance * whole, options.nanoseconds});
  return miss > 3 * error ? miss / tolerated : 0;
}

/// A candidate size, and the estimated error there.
struct Candidate {
  Bytes size;
  double misses = 0;
};

}  // namespace

std::vector<Bytes> powers_of_two(Bytes largest) {
  std::vector<Bytes> sizes;
  for (std::uint64_t size = 1; size < largest.count; size *= 2) sizes.push_back(Bytes{size});
  sizes.push_back(largest);
  return sizes;
}

std::vector<Bytes> sizes_to_add(const std::array<Curve, quantity_count>& curves,
                                const RefineOptions& options) {
  std::vector<Candidate> candidates;
  const Curve& round_trips = curves[static_cast<std::size_t>(Quantity::round_trip)];
  for (std::size_t quantity = 0; quantity < quantity_count; ++quantity) {
    const Curve& curve = curves[quantity];
    std::size_t first = 0;
    while (first < curve.size() && curve[first].size == 0) ++first;
    std::size_t anchor = first;
    for (std::size_t i = first + 1; i + 1 < curve.size(); ++i) {
      const Point &before = curve[i], &after = curve[i + 1];
      // A short baseline would magnify the noise: the first point is at half the size of the second or less.
      while (curve[anchor + 1].size <= before.size / 2) ++anchor;
      const double middle = std::floor((before.size + after.size) / 2);
      const bool is_wide = after.size - before.size > std::max(1.0, options.resolution * before.size);
      const double whole = is_overhead(static_cast<Quantity>(quantity)) ? round_trips[i + 1].median.value : 0;
      const double missed = is_wide ? misses(curve[anchor], before, after, whole, options) : 0;
      if (missed > 1) candidates.push_back({Bytes{static_cast<std::uint64_t>(middle)}, missed});
    }
  }
  std::ranges::sort(candidates, std::greater{}, &Candidate::misses);
  std::vector<Bytes> added;
  for (const Candidate& candidate : candidates)
    if (added.size() < options.most_at_once && std::ranges::find(added, candidate.size) == added.end())
      added.push_back(candidate.size);
  std::sort(added.begin(), added.end());
  return added;
}

}  // namespace takt::logp
