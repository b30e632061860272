#pragma once
/// Costs of messages: the LogP parameters as functions of their size.

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/units.hpp"

namespace takt::logp {

/// A piecewise affine function of the message's size,
/// in integer nanoseconds (rounded to nearest).
class Cost {
 public:
  /// From `from` bytes up to the next segment: constant + per_byte * size, in nanoseconds.
  struct Segment {
    Bytes from;
    double constant = 0;
    double per_byte = 0;
    friend auto operator<=>(const Segment&, const Segment&) = default;
  };

  /// Three years: with larger values, sums of times would lose precision.
  static constexpr Time most{100'000'000'000'000'000};

  /// Zero for every size.
  Cost() = default;
  Cost(double constant, double per_byte) : segments_{{Bytes{0}, constant, per_byte}} {}
  /// Segments in ascending order of `from`, the first from 0. Throws ConfigError otherwise.
  explicit Cost(std::vector<Segment> segments);

  /// Returns the cost, clamped to `most` in either direction.
  [[nodiscard]] Time at(Bytes size) const {
    const Segment& segment = segments_.size() > 1 ? segment_of(size) : segments_.front();
    constexpr auto limit = static_cast<double>(most.count());
    const double exact = segment.constant + segment.per_byte * static_cast<double>(size.count);
    return Time(rounded(std::clamp(exact, -limit, limit)));
  }
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  [[nodiscard]] bool is_zero() const;
  /// Returns the first size of a range with negative costs, if there is one.
  [[nodiscard]] std::optional<Bytes> first_below_zero() const;
  /// Returns the cost with negative values raised to 0.
  [[nodiscard]] Cost at_least_zero() const;
  friend auto operator<=>(const Cost&, const Cost&) = default;

 private:
  [[nodiscard]] const Segment& segment_of(Bytes size) const;
  /// Inline std::llround (halves away from zero): searches evaluate costs very often.
  static std::int64_t rounded(double value) {
    const auto whole = static_cast<std::int64_t>(value);
    const double rest = value - static_cast<double>(whole);
    return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
  }

  std::vector<Segment> segments_{{Bytes{0}, 0, 0}};
};

/// The LogP parameters between processors of one level, or from one processor to another one.
struct LinkCosts {
  /// L: time in flight, without occupancy. A measured L can be negative (send and receive overlap).
  Cost latency;
  /// o: time that a message occupies its sender and its receiver.
  Cost send_overhead;
  Cost receive_overhead;
  /// g: least time between the starts of two successive sends, or receives, of one processor.
  Cost send_gap;
  Cost receive_gap;
  /// Resource shared by all bytes that move together between two groups of processors, such as a single line
  /// between two clusters: the least time of a redistribution (logp/redistribution.hpp). Single messages
  /// ignore it.
  Cost backbone{};
  friend auto operator<=>(const LinkCosts&, const LinkCosts&) = default;
};

/// Throws ConfigError when an overhead or a gap is negative for some size; a latency may be.
void check(const LinkCosts& costs);

}  // namespace takt::logp
