#pragma once
/// What a message costs: the LogP parameters as functions of its size.

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/units.hpp"

namespace takt::logp {

/// An affine function of the message's size on each segment of sizes, in whole nanoseconds (rounded to
/// nearest).
class Cost {
 public:
  /// From `from` bytes up to the next segment: constant + per_byte * size, in nanoseconds.
  struct Segment {
    Bytes from;
    double constant = 0;
    double per_byte = 0;
    friend auto operator<=>(const Segment&, const Segment&) = default;
  };

  /// Three years: beyond that, sums of times would not be whole nanoseconds any more.
  static constexpr Time most{100'000'000'000'000'000};

  /// Zero for every size.
  Cost() = default;
  Cost(double constant, double per_byte) : segments_{{Bytes{0}, constant, per_byte}} {}
  /// Segments in ascending order of `from`, the first from 0. Throws ConfigError otherwise.
  explicit Cost(std::vector<Segment> segments);

  /// At most `most` in either direction.
  [[nodiscard]] Time at(Bytes size) const {
    const Segment& segment = segments_.size() > 1 ? segment_of(size) : segments_.front();
    constexpr auto limit = static_cast<double>(most.count());
    const double exact = segment.constant + segment.per_byte * static_cast<double>(size.count);
    return Time(rounded(std::clamp(exact, -limit, limit)));
  }
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  [[nodiscard]] bool is_zero() const;
  /// The first size from which on it is below 0 for a while, if there is one.
  [[nodiscard]] std::optional<Bytes> first_below_zero() const;
  /// The same where it is above 0, and 0 elsewhere.
  [[nodiscard]] Cost at_least_zero() const;
  friend auto operator<=>(const Cost&, const Cost&) = default;

 private:
  [[nodiscard]] const Segment& segment_of(Bytes size) const;
  /// As std::llround does, halves away from zero, without a call: searches ask for costs all the time.
  static std::int64_t rounded(double value) {
    const auto whole = static_cast<std::int64_t>(value);
    const double rest = value - static_cast<double>(whole);
    return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
  }

  std::vector<Segment> segments_{{Bytes{0}, 0, 0}};
};

/// The LogP parameters between processors of one level, or from one processor to another one.
struct LinkCosts {
  /// L: time in flight, occupying nobody. A measured L can be negative (send and receive overlap).
  Cost latency;
  /// o: time that a message occupies its sender and its receiver.
  Cost send_overhead;
  Cost receive_overhead;
  /// g: least time between the starts of two successive sends, or receives, of one processor.
  Cost send_gap;
  Cost receive_gap;
  /// What all bytes that move at once from one group of processors to another one have to share, such as the
  /// one line between two clusters: a redistribution (logp/redistribution.hpp) takes so long at least. Single
  /// messages do not count it.
  Cost backbone{};
  friend auto operator<=>(const LinkCosts&, const LinkCosts&) = default;
};

/// Throws ConfigError when an overhead or a gap is below 0 for some size; a latency may be.
void check(const LinkCosts& costs);

}  // namespace takt::logp
