#pragma once
/// Raw measurements of a link. Times in nanoseconds.

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
  /// The call that receives a message that has already arrived.
  receive_overhead,
  /// Additional time of each further message of a burst.
  gap
};
inline constexpr std::size_t quantity_count = 4;

/// Returns whether a quantity is a part of a message's time, and need not be more precise than the whole.
[[nodiscard]] constexpr bool is_overhead(Quantity quantity) {
  return quantity == Quantity::send_overhead || quantity == Quantity::receive_overhead;
}

/// Consecutive samples, within about a millisecond.
struct Visit {
  std::vector<double> quiet;
  /// Samples during which a rank lost its core to another process.
  std::vector<double> disturbed;
  /// Round trip of a small message and an empty one just before; 0 if it was not measured.
  double reference = 0;
};

/// A state of the machine that lasts seconds or minutes: if the host moves a virtual machine's cores apart,
/// every message becomes 1.3 to 2.6 times as expensive. A visit's reference determines its state.
struct MachineState {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool contains(const Visit& visit) const {
    return visit.reference == 0 || (visit.reference >= least && visit.reference <= most);
  }
};

/// Returns the quietest state with at least a quarter of these references.
[[nodiscard]] MachineState state_of(std::vector<double> references);

/// Visits of one size, distributed over the whole calibration, for each quantity.
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

  /// Returns the entry of a size; creates it if needed.
  SizeObservations& at(Bytes size);
  /// References of all visits.
  [[nodiscard]] std::vector<double> references() const;
  /// Returns the state that counts.
  [[nodiscard]] MachineState state() const { return state_of(references()); }
};

/// The samples that count.
enum class Samples : std::uint8_t {
  /// The quiet ones: a core lost for milliseconds is no property of the link.
  quiet,
  /// All: for two ranks on one core, sharing it is a part of the cost of a message.
  all
};

/// One quantity at one size.
struct Point {
  double size = 0;
  /// Median of the quieter half of the visits (the lower quartile of the visits' medians), and its error.
  /// Visits are independent, samples are not: those of one visit share caches and disturbances. Half of the
  /// visits are dropped to exclude times in which other processes fill caches and memory channels without
  /// taking the core.
  Estimate median;
  /// 95th percentile of all samples.
  Estimate high;
  /// Counted visits and samples. A size without any has the least of the disturbed samples as its value.
  std::size_t visits = 0;
  std::size_t samples = 0;
  /// Number of samples that did not count.
  std::size_t discarded = 0;
};

/// Indexed by size.
using Curve = std::vector<Point>;

/// Visits in another state count as disturbed.
[[nodiscard]] Point summarise(Bytes size, const std::vector<Visit>& visits, Samples samples,
                              const MachineState& state = {});

/// Returns the curve of each quantity, in the state that counts.
[[nodiscard]] std::array<Curve, quantity_count> summarise(const LinkObservations& observations,
                                                          Samples samples);

}  // namespace takt::logp
