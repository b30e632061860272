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

/// The closest values that never fall: neighbours that do share their mean (pool adjacent violators).
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

/// Whether all places between two others lie close to the line between these.
bool is_straight(const Places& places, std::size_t from, std::size_t to) {
  constexpr double share = 0.1, least_ns = 20;
  for (std::size_t i = from + 1; i < to; ++i) {
    const double deviation = std::abs(on_line(places[from], places[to], places[i].size) - places[i].value);
    if (deviation > std::max(least_ns, share * std::abs(places[i].value))) return false;
  }
  return true;
}

/// As files show it: a tenth of a nanosecond, and as much for a hundred kilobytes.
double rounded(double value, double steps) {
  return std::round(value * steps) / steps;
}

Cost joined(const Places& places) {
  std::vector<Cost::Segment> segments;
  for (std::size_t from = 0; from + 1 < places.size();) {
    std::size_t to = from + 1;
    while (to + 1 < places.size() && is_straight(places, from, to + 1)) ++to;
    const double slope = (places[to].value - places[from].value) / (places[to].size - places[from].size);
    segments.push_back({Bytes{static_cast<std::uint64_t>(places[from].size)},
                        rounded(places[from].value - slope * places[from].size, 10), rounded(slope, 1e6)});
    from = to;
  }
  if (segments.empty()) return {places.front().value, 0};
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
  make_monotone(send);
  make_monotone(receive);
  make_monotone(gap);
  const double empty = latency.front().value;
  for (std::size_t i = 0; i < latency.size(); ++i)
    latency[i].value -= empty / 2 + send[i].value + receive[i].value;
  const Cost gaps = joined(gap).at_least_zero();
  return {.latency = joined(latency),
          .send_overhead = joined(send).at_least_zero(),
          .receive_overhead = joined(receive).at_least_zero(),
          .send_gap = gaps,
          .receive_gap = gaps};
}

}  // namespace takt::logp
