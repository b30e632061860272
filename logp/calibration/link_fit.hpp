#pragma once
/// From what was measured of a link to its LogP parameters.

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
  /// Root mean square of the relative deviations of the points from the line; of L, those of the round trip.
  double residual = 0;
};

/// A range of sizes on which all parameters are straight lines.
struct Regime {
  /// First and last of the sizes measured; beyond them the lines are extrapolated.
  Bytes from;
  Bytes to;
  std::size_t points = 0;
  /// Samples behind the points, of all quantities.
  std::size_t samples = 0;
  ParameterFit latency;
  ParameterFit send_overhead;
  ParameterFit receive_overhead;
  ParameterFit gap;
};

/// One view of a link: with the medians, or with the 95th percentiles.
struct ProfileFit {
  std::vector<Regime> regimes;
  LinkCosts costs;
};

/// Whether a size lies between the ends of two ranges that are at most 1/64 of it apart: there is a step, and
/// it is not known on which side of it the size is.
[[nodiscard]] bool is_at_step(const ProfileFit& fit, Bytes size);

/// What was measured of one size, in nanoseconds: medians and 95th percentiles (Point), by quantity.
struct MeasuredSize {
  Bytes size;
  std::array<double, quantity_count> median{};
  std::array<double, quantity_count> high{};
};

struct LinkFit {
  /// The medians: what a message costs as a rule.
  ProfileFit predict;
  /// The 95th percentiles: what nineteen messages out of twenty stay below.
  ProfileFit verify;
  /// RTT(0, 0).
  double empty_round_trip = 0;
  /// Sizes that went into the fit, ascending; those that were disturbed too often are left out, and above a
  /// megabyte those of the last ranges where these cannot be trusted.
  std::vector<Bytes> sizes;
  std::vector<Bytes> left_out;
  /// Every size, the empty message first, whether it went into the fit or not; for pictures.
  std::vector<MeasuredSize> measured;
  /// Share of the samples that were disturbed.
  double disturbed = 0;
  /// Share of the visits that met the machine in another state than the one that counts, and what a small
  /// message and an empty one back took in either (medians, in nanoseconds); 0 without such visits.
  double elsewhere = 0;
  double reference = 0;
  double reference_elsewhere = 0;
  /// Why the fit must not be trusted, a sentence each; empty when it may.
  std::vector<std::string> objections;
};

struct FitOptions {
  RegimeOptions regimes;
  Samples samples = Samples::quiet;
  /// A size needs so many undisturbed visits for each quantity, or it is left out.
  std::size_t least_visits = 5;
  /// Sizes up to this one must not all be left out at the end: the range of the fit reaches so far.
  Bytes least_range{1 << 20};
  /// No link is affine to the last nanosecond. Errors of this size, relative to the value, for the overheads
  /// also relative to the round trip of the same size, and in nanoseconds, are added to those of each point,
  /// so that a point measured to perfection does not outvote the others.
  double relative_error = 0.04;
  double round_trip_error = 0.015;
  double clock_error = 3;
  /// The intervals of round trip and gap may reach so far to either side, relative to their values; those of
  /// the overheads so far, relative to the round trip.
  double widest_interval = 0.2;
  /// Whatever is narrower than so many nanoseconds is narrow enough.
  double narrow = 100;
};

/// o_send, o_recv, g and RTT(s, 0) are fitted on common ranges of sizes;
/// L(s) = RTT(s, 0) - RTT(0, 0) / 2 - o_send(s) - o_recv(s) is what they leave, so that o_send + L + o_recv
/// is the time of a lone message whatever the split. It is not clamped: a negative L says that send and
/// receive overlap. In `verify`, RTT(s, 0) is a 95th percentile and RTT(0, 0) a median. The observations must
/// hold size 0 and at least one more.
[[nodiscard]] LinkFit fit_link(const LinkObservations& observations, const FitOptions& options = {});

}  // namespace takt::logp
