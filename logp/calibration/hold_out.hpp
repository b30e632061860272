#pragma once
/// Predictions of a fitted link for hold-out measurements.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "logp/cost.hpp"

namespace takt::logp {

/// Time of a single message, from the start of its send to the end of its receive: o_send + L + o_recv.
[[nodiscard]] double lone_message_time(const LinkCosts& costs, Bytes size);

/// Time of `count` messages between two ranks, from the start of the first send to the end of the last
/// receive: a single message, and for each further one the largest of g, o_send and o_recv.
[[nodiscard]] double burst_time(const LinkCosts& costs, Bytes size, std::size_t count);

/// The same without o_recv for each further message; nothing if that is no less. The bytes of a just written
/// large message are in its sender's own cache. Those of a stream have moved on to the shared cache, from
/// which the receiver reads them faster than o_recv.
[[nodiscard]] std::optional<double> burst_time_by_gap(const LinkCosts& costs, Bytes size, std::size_t count);

/// Time of fast sends from several ranks to one, `count` messages in total, from the start of the first sends
/// to the end of the last receive: a single message, and the receiver's gap or overhead for each further one.
[[nodiscard]] double fan_in_time(const LinkCosts& costs, Bytes size, std::size_t count);

/// Returns `count` unmeasured sizes up to the largest of `measured`, evenly distributed over the powers of
/// two. The same seed yields the same sizes. `measured` is ascending and contains more than sizes up to 2.
[[nodiscard]] std::vector<Bytes> hold_out_sizes(const std::vector<Bytes>& measured, std::size_t count,
                                                std::uint64_t seed);

/// A prediction and its measurement, in nanoseconds.
struct Trial {
  /// `ping-pong`, `burst`, `fan-in`, `replay`.
  std::string kind;
  /// For example `12 messages of 700 bytes`.
  std::string what;
  double predicted = 0;
  double measured = 0;
  /// Number of messages of the times.
  std::size_t messages = 1;
  /// Number of undisturbed visits of the measurement, which is invalid without any.
  std::size_t visits = 0;
  /// For a burst: burst_time_by_gap; every value between that and `predicted` counts as predicted.
  std::optional<double> by_gap = {};

  /// Returns the predicted value that is nearest to the measurement.
  [[nodiscard]] double nearest() const;
  /// (nearest() - measured) / measured.
  [[nodiscard]] double error() const { return measured == 0 ? 0 : (nearest() - measured) / measured; }
  /// Returns 100 ns plus 50 ns per message:
  /// about the accuracy of the overheads of the smallest messages.
  [[nodiscard]] double slack() const { return 100 + 50 * static_cast<double>(messages); }
  /// Returns whether the error is within the tolerance, or within the slack.
  [[nodiscard]] bool passes(double tolerance) const;
};

/// Returns the objections of the trials to the predictions, a sentence each. By quantiles: three quarters of
/// the trials of a kind must be within the tolerance, all of them within twice that; and half of all trials
/// must have been measured without disturbance.
[[nodiscard]] std::vector<std::string> objections_of(const std::vector<Trial>& trials, double tolerance);

}  // namespace takt::logp
