#pragma once
/// A synthetic link with known costs, and measurements of it with noise, outliers and disturbances.

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "core/random.hpp"
#include "logp/calibration/observations.hpp"

namespace takt::logp::test {

using CostFunction = std::function<double(double size)>;

/// constant + per_byte * size below the step, and other values from there on.
inline CostFunction stepped(double constant, double per_byte, double step, double constant_above,
                            double per_byte_above) {
  return [=](double size) {
    return size < step ? constant + per_byte * size : constant_above + per_byte_above * size;
  };
}

inline CostFunction affine(double constant, double per_byte) {
  return [=](double size) { return constant + per_byte * size; };
}

struct SyntheticLink {
  /// RTT(s, 0); that of the empty message is round_trip(0).
  CostFunction round_trip, send_overhead, receive_overhead, gap;

  [[nodiscard]] const CostFunction& of(Quantity quantity) const {
    const std::array<const CostFunction*, quantity_count> all{&round_trip, &send_overhead, &receive_overhead,
                                                              &gap};
    return *all[static_cast<std::size_t>(quantity)];
  }
  /// o_send + L + o_recv, by the identity that defines L.
  [[nodiscard]] double lone_message(double size) const { return round_trip(size) - round_trip(0) / 2; }
};

struct Noise {
  /// Standard deviation of a sample and of a visit, relative to the value.
  double sample = 0.05;
  double visit = 0.02;
  /// Share of samples that take up to ten times as long, without a recorded disturbance.
  double outliers = 0.03;
  /// Share of recorded disturbances: milliseconds.
  double disturbed = 0.1;
};

inline double normal(Random& random) {
  return std::sqrt(-2 * std::log(1 - random.unit())) * std::cos(2 * std::numbers::pi * random.unit());
}

/// One visit of a dozen samples.
inline Visit make_visit(double truth, const Noise& noise, Random& random) {
  Visit visit;
  const double shift = 1 + noise.visit * normal(random);
  for (int i = 0; i < 12; ++i) {
    double sample = truth * shift * (1 + noise.sample * normal(random));
    if (random.unit() < noise.outliers) sample *= 1 + 9 * random.unit();
    if (random.unit() < noise.disturbed)
      visit.disturbed.push_back(sample + 4e6 * random.unit());
    else
      visit.quiet.push_back(sample);
  }
  return visit;
}

inline void visit(LinkObservations& observations, const SyntheticLink& link, Bytes size, int visits,
                  const Noise& noise, Random& random) {
  SizeObservations& entry = observations.at(size);
  for (std::size_t quantity = 0; quantity < quantity_count; ++quantity)
    for (int i = 0; i < visits; ++i)
      entry.visits[quantity].push_back(make_visit(
          link.of(static_cast<Quantity>(quantity))(static_cast<double>(size.count)), noise, random));
}

/// Size 0 and these sizes.
inline LinkObservations observe(const SyntheticLink& link, const std::vector<Bytes>& sizes, int visits,
                                const Noise& noise, Random& random) {
  LinkObservations observations;
  visit(observations, link, Bytes{0}, visits, noise, random);
  for (const Bytes size : sizes) visit(observations, link, size, visits, noise, random);
  return observations;
}

/// Similar to Open MPI through shared memory: a protocol step at 4 KiB.
inline SyntheticLink shared_memory_link() {
  return {.round_trip = stepped(500, 0.3, 4096, 2000, 0.1),
          .send_overhead = stepped(60, 0.06, 4096, 70, 0),
          .receive_overhead = stepped(100, 0.1, 4096, 1200, 0.09),
          .gap = stepped(80, 0.25, 4096, 1100, 0.09)};
}

}  // namespace takt::logp::test
