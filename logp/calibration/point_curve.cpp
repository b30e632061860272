#include "logp/calibration/point_curve.hpp"

#include <algorithm>
#include <cmath>

namespace takt::logp {

namespace {

struct Place {
  double size = 0, value = 0;
};
using Places = std::vector<Place>;

Places places_of(const Curve& curve) {
  Places places;
  for (const Point& point : curve) places.push_back({point.size, point.median.value});
  return places;
}

/// Makes values monotone: falling neighbours share their mean (pool adjacent violators).
void make_monotone(Places& places) {
  struct Block {
    double sum = 0;
    std::size_t count = 0;
    [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Block> blocks;
  for (const Place& place : places) {
    blocks.push_back({place.value, 1});
    while (blocks.size() > 1 && blocks.back().mean() < blocks[blocks.size() - 2].mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back().sum += last.sum;
      blocks.back().count += last.count;
    }
  }
  std::size_t i = 0;
  for (const Block& block : blocks)
    for (std::size_t k = 0; k < block.count; ++k) places[i++].value = block.mean();
}

double on_line(const Place& a, const Place& b, double size) {
  return a.value + (b.value - a.value) * (size - a.size) / (b.size - a.size);
}

/// Whether all places between two others are close to the line between these.
bool is_straight(const Places& places, std::size_t from, std::size_t to) {
  constexpr double share = 0.1, least_ns = 20;
  for (std::size_t i = from + 1; i < to; ++i) {
    const double deviation = std::abs(on_line(places[from], places[to], places[i].size) - places[i].value);
    if (deviation > std::max(least_ns, share * std::abs(places[i].value))) return false;
  }
  return true;
}

/// Returns the common corners of all curves, which keep sums of the curves unchanged.
std::vector<std::size_t> corners(const std::vector<const Places*>& curves) {
  const std::size_t count = curves.front()->size();
  std::vector<std::size_t> corners{0};
  while (corners.back() + 1 < count) {
    std::size_t to = corners.back() + 1;
    const auto goes_on = [&](const Places* places) { return is_straight(*places, corners.back(), to + 1); };
    while (to + 1 < count && std::ranges::all_of(curves, goes_on)) ++to;
    corners.push_back(to);
  }
  return corners;
}

/// Rounded to the precision of files: 0.1 ns, also for 100 kB.
double rounded(double value, double steps) {
  return std::round(value * steps) / steps;
}

Cost joined(const Places& places, const std::vector<std::size_t>& corners) {
  if (corners.size() == 1) return {places.front().value, 0};
  std::vector<Cost::Segment> segments;
  for (std::size_t i = 0; i + 1 < corners.size(); ++i) {
    const Place &from = places[corners[i]], &to = places[corners[i + 1]];
    const double slope = (to.value - from.value) / (to.size - from.size);
    segments.push_back({Bytes{static_cast<std::uint64_t>(from.size)},
                        rounded(from.value - slope * from.size, 10), rounded(slope, 1e6)});
  }
  return Cost(std::move(segments));
}

}  // namespace

LinkCosts join_points(const LinkObservations& observations, Samples samples) {
  const std::array<Curve, quantity_count> curves = summarise(observations, samples);
  const auto places = [&](Quantity quantity) {
    return places_of(curves[static_cast<std::size_t>(quantity)]);
  };
  Places send = places(Quantity::send_overhead), receive = places(Quantity::receive_overhead),
         gap = places(Quantity::gap), latency = places(Quantity::round_trip);
  for (Places* curve : {&send, &receive, &gap, &latency}) make_monotone(*curve);
  const std::vector<std::size_t> at = corners({&send, &receive, &gap, &latency});
  const double empty = latency.front().value;
  for (std::size_t i = 0; i < latency.size(); ++i)
    latency[i].value -= empty / 2 + send[i].value + receive[i].value;
  const Cost gaps = joined(gap, at).at_least_zero();
  return {.latency = joined(latency, at),
          .send_overhead = joined(send, at).at_least_zero(),
          .receive_overhead = joined(receive, at).at_least_zero(),
          .send_gap = gaps,
          .receive_gap = gaps};
}

}  // namespace takt::logp
