#pragma once
/// Times of packets that are merely numbered from their sender's start.

#include <cstdint>
#include <optional>

namespace takt::sensors {

/// The first number's time is when it came, and time goes on with the numbers. A sender that is started again
/// counts from the beginning: what goes on from a number far behind, or behind after a silence, is a stream
/// of its own, which is kept far away from the one before until a run of it has come, and whose time is its
/// own. A single number that is damaged or forged moves nothing.
class NumberedTime {
 public:
  /// A place on the time axis stands for `parts` ticks of whoever assembles the stream.
  NumberedTime(double numbers_a_second, std::uint64_t parts);

  /// Of a number that came at this time, nanoseconds since 1970.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t number, std::int64_t utc_ns);
  /// Of a place, in numbers.
  [[nodiscard]] std::uint64_t since_1970(std::uint64_t place) const { return place % span_; }

 private:
  struct Run {
    /// From numbers to places.
    std::uint64_t base = 0;
    std::uint64_t last = 0;
    /// Numbers in a row.
    std::uint64_t heard = 0;
  };

  [[nodiscard]] Run begin(std::uint64_t number, std::int64_t utc_ns);
  void go_on(std::uint64_t number);

  const double numbers_a_second_;
  /// Between the places of one beginning and those of the next.
  const std::uint64_t span_;
  std::uint64_t beginnings_ = 0;
  std::optional<Run> stream_, anew_;
  /// Whether what begins anew came behind a silence: then it may begin near the stream's place.
  bool is_behind_silence_ = false;
  /// The stream's latest number; numbers in a row that agree on a place far ahead.
  std::uint64_t latest_ = 0, far_ = 0;
  std::int64_t last_utc_ns_ = 0;
};

}  // namespace takt::sensors
