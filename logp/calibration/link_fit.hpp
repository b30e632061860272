#pragma once
/// Fits the LogP parameters of a link to its measurements.

#include <array>
#include <string>
#include <vector>

#include "logp/calibration/observations.hpp"
#include "logp/calibration/regimes.hpp"
#include "logp/cost.hpp"

namespace takt::logp {

/// A number with its interval of 95 %.
struct Interval {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// One parameter on one range of sizes: constant + per_byte * size, in nanoseconds.
struct ParameterFit {
  Interval constant;
  Interval per_byte;
  /// Root mean square of the relative deviations of the points from the line; for L, of the round trip.
  double residual = 0;
};

/// A range of sizes in which all parameters are straight lines.
struct Regime {
  /// First and last measured size; beyond them the lines are extrapolated.
  Bytes from;
  Bytes to;
  std::size_t points = 0;
  /// Number of samples of the points, for all quantities.
  std::size_t samples = 0;
  ParameterFit latency;
  ParameterFit send_overhead;
  ParameterFit receive_overhead;
  ParameterFit gap;
};

/// Parameters of a link from medians, or from 95th percentiles.
struct ProfileFit {
  std::vector<Regime> regimes;
  LinkCosts costs;
};

/// Returns whether a size lies in a gap of at most 1/64 of it between two ranges: there is a step, and the
/// side of the size is unknown.
[[nodiscard]] bool is_at_step(const ProfileFit& fit, Bytes size);

/// Measurements of one size, in nanoseconds: medians and 95th percentiles (Point), by quantity.
struct MeasuredSize {
  Bytes size;
  std::array<double, quantity_count> median{};
  std::array<double, quantity_count> high{};
};

struct LinkFit {
  /// The medians: the typical cost of a message.
  ProfileFit predict;
  /// The 95th percentiles: bounds for nineteen of twenty messages.
  ProfileFit verify;
  /// RTT(0, 0).
  double empty_round_trip = 0;
  /// Sizes of the fit, ascending; sizes that were disturbed too often are left out, and above a megabyte
  /// those of the last ranges if these are unreliable.
  std::vector<Bytes> sizes;
  std::vector<Bytes> left_out;
  /// Every size, the empty message first, whether part of the fit or not; for pictures.
  std::vector<MeasuredSize> measured;
  /// Share of the samples that were disturbed.
  double disturbed = 0;
  /// Share of the visits in another machine state than the one that counts, and the reference round trips of
  /// both states (medians, in nanoseconds); 0 without such visits.
  double elsewhere = 0;
  double reference = 0;
  double reference_elsewhere = 0;
  /// Reasons not to trust the fit, a sentence each; empty for a valid one.
  std::vector<std::string> objections;
};

struct FitOptions {
  RegimeOptions regimes;
  Samples samples = Samples::quiet;
  /// Least number of undisturbed visits of a size for each quantity.
  std::size_t least_visits = 5;
  /// The fit must reach at least up to this size.
  Bytes least_range{1 << 20};
  /// Model error: no link is exactly affine. Errors of this size are added to those of each point, so that a
  /// very precise point does not dominate. They are relative to the value, for the overheads also to the
  /// round trip of the same size, and in nanoseconds.
  double relative_error = 0.04;
  double round_trip_error = 0.015;
  double clock_error = 3;
  /// Largest half-width of the intervals of round trip and gap, relative to their values; and of those of the
  /// overheads, relative to the round trip.
  double widest_interval = 0.2;
  /// Half-widths below this number of nanoseconds are always accepted.
  double narrow = 100;
};

/// Fits o_send, o_recv, g and RTT(s, 0) on common ranges of sizes. L(s) = RTT(s, 0) -
/// RTT(0, 0) / 2 - o_send(s) - o_recv(s) is the rest, so that o_send + L + o_recv is
/// the time of a single message for any division. It is not clamped: a negative L
/// indicates that send and receive overlap. In `verify`, RTT(s, 0) is a 95th percentile
/// and RTT(0, 0) a median. The observations must contain size 0 and at least one more.
[[nodiscard]] LinkFit fit_link(const LinkObservations& observations, const FitOptions& options = {});

}  // namespace takt::logp
