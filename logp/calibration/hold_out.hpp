#pragma once
/// What a fitted link predicts for measurements that it was not fitted to.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "logp/cost.hpp"

namespace takt::logp {

/// A lone message, from the start of its send to the end of its receive: o_send + L + o_recv.
[[nodiscard]] double lone_message_time(const LinkCosts& costs, Bytes size);

/// `count` messages from one rank to another one, from the start of the first send to the end of the last
/// receive: a lone message, and for each further one the largest of g, o_send and o_recv.
[[nodiscard]] double burst_time(const LinkCosts& costs, Bytes size, std::size_t count);

/// The same without o_recv for each further message; nothing where that is no less. The bytes of a large
/// message that has just been written lie in its sender's own cache, those of a stream of them have gone on
/// to the one that cores share, and are read from there faster than o_recv says.
[[nodiscard]] std::optional<double> burst_time_by_gap(const LinkCosts& costs, Bytes size, std::size_t count);

/// Several ranks send to one as fast as they can, `count` messages in all; from the start of the first sends
/// to the end of the last receive: a lone message, and the receiver's gap or overhead for each further one.
[[nodiscard]] double fan_in_time(const LinkCosts& costs, Bytes size, std::size_t count);

/// `count` sizes up to the largest of `measured`, evenly spread over the powers of two and none of them
/// measured. The same seed gives the same sizes. `measured` is ascending and holds more than sizes up to 2.
[[nodiscard]] std::vector<Bytes> hold_out_sizes(const std::vector<Bytes>& measured, std::size_t count,
                                                std::uint64_t seed);

/// A prediction beside the measurement, in nanoseconds.
struct Trial {
  /// `ping-pong`, `burst`, `fan-in`, `replay`.
  std::string kind;
  /// For example `12 messages of 700 bytes`.
  std::string what;
  double predicted = 0;
  double measured = 0;
  /// How many messages the times are for.
  std::size_t messages = 1;
  /// Undisturbed visits behind the measurement; without any it means nothing.
  std::size_t visits = 0;
  /// Of a burst: burst_time_by_gap: what is between that and `predicted` is as predicted, too.
  std::optional<double> by_gap = {};

  /// What is predicted that is nearest to the measurement.
  [[nodiscard]] double nearest() const;
  /// (nearest() - measured) / measured.
  [[nodiscard]] double error() const { return measured == 0 ? 0 : (nearest() - measured) / measured; }
  /// 100 ns and 50 ns for each message, which is about what can be told of the overheads of the smallest
  /// messages.
  [[nodiscard]] double slack() const { return 100 + 50 * static_cast<double>(messages); }
  /// Within the tolerance, or within the slack.
  [[nodiscard]] bool passes(double tolerance) const;
};

/// What the trials say against the predictions, a sentence each. By quantiles: three quarters of the trials
/// of one kind must be within the tolerance, all of them within twice that; and half of all trials must have
/// been made undisturbed.
[[nodiscard]] std::vector<std::string> objections_of(const std::vector<Trial>& trials, double tolerance);

}  // namespace takt::logp
