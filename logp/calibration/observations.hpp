#pragma once
/// What was measured of a link, before anything is concluded from it. Times in nanoseconds.

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/units.hpp"
#include "logp/calibration/statistics.hpp"

namespace takt::logp {

enum class Quantity : std::uint8_t {
  /// From the start of a send to the end of the receive of an empty answer: RTT(s, 0).
  round_trip,
  /// The call that sends.
  send_overhead,
  /// The call that receives a message that has arrived before.
  receive_overhead,
  /// What each further message adds to the time of a burst.
  gap
};
inline constexpr std::size_t quantity_count = 4;

/// Whether a quantity is a part of a message's time, and need not be known better than the whole.
[[nodiscard]] constexpr bool is_overhead(Quantity quantity) {
  return quantity == Quantity::send_overhead || quantity == Quantity::receive_overhead;
}

/// Samples taken in a row, within a millisecond or so.
struct Visit {
  std::vector<double> quiet;
  /// Samples during which a rank was taken from its core for another process.
  std::vector<double> disturbed;
  /// What a small message took just before, there and an empty one back; 0 where nobody looked.
  double reference = 0;
};

/// One of the states that a machine is in for seconds or minutes: a host that moves the cores of a virtual
/// machine apart makes every message 1.3 to 2.6 times as expensive. A visit belongs to it by its reference.
struct MachineState {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool contains(const Visit& visit) const {
    return visit.reference == 0 || (visit.reference >= least && visit.reference <= most);
  }
};

/// The quietest state in which a quarter of these references were measured.
[[nodiscard]] MachineState state_of(std::vector<double> references);

/// Visits of one size, spread over the whole calibration, for each quantity.
struct SizeObservations {
  Bytes size;
  std::array<std::vector<Visit>, quantity_count> visits;

  [[nodiscard]] std::vector<Visit>& of(Quantity quantity) {
    return visits[static_cast<std::size_t>(quantity)];
  }
  [[nodiscard]] const std::vector<Visit>& of(Quantity quantity) const {
    return visits[static_cast<std::size_t>(quantity)];
  }
};

struct LinkObservations {
  /// In ascending order of sizes.
  std::vector<SizeObservations> sizes;

  /// The entry of a size, made when there is none.
  SizeObservations& at(Bytes size);
  /// Of all visits.
  [[nodiscard]] std::vector<double> references() const;
  /// The state that counts.
  [[nodiscard]] MachineState state() const { return state_of(references()); }
};

/// Which samples count.
enum class Samples : std::uint8_t {
  /// The quiet ones: a process that takes the core away for milliseconds is no property of the link.
  quiet,
  /// All: where two ranks share a core, taking turns is what a message costs.
  all
};

/// One quantity at one size.
struct Point {
  double size = 0;
  /// Median of the quieter half of the visits (the lower quartile of the visits' medians), and its error.
  /// Visits, not samples, are independent of each other: samples of one visit share their caches and their
  /// neighbours. Half of them are given up for the time in which a neighbour fills caches and memory channels
  /// without taking the core.
  Estimate median;
  /// 95th percentile of all samples.
  Estimate high;
  /// Visits and samples that counted. A size without any has the least of the disturbed samples as its value.
  std::size_t visits = 0;
  std::size_t samples = 0;
  /// Samples that did not count.
  std::size_t discarded = 0;
};

/// By size.
using Curve = std::vector<Point>;

/// Visits in another state count as disturbed.
[[nodiscard]] Point summarise(Bytes size, const std::vector<Visit>& visits, Samples samples,
                              const MachineState& state = {});

/// The curve of each quantity, in the state that counts.
[[nodiscard]] std::array<Curve, quantity_count> summarise(const LinkObservations& observations,
                                                          Samples samples);

}  // namespace takt::logp
