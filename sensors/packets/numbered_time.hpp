#pragma once
/// Times for packets that have only a number counted from the sender's start.

#include <array>
#include <cstdint>

namespace takt::sensors {

/// The first number gets its arrival time, and time advances with the numbers. Successive numbers form a run.
/// A run that begins after the stream's numbers, or precedes them after a silence, belongs to a restarted
/// sender. It gets its own time, far from all others, so that the assembler's vote selects the run that is
/// the stream. A run that begins ahead continues the stream's time. Runs are remembered: a stream that
/// returns after forged numbers keeps its former time.
class NumberedTime {
 public:
  /// A place on the time axis represents `parts` ticks of the assembler.
  NumberedTime(double numbers_per_second, std::uint64_t parts);

  /// Returns the place of a number that arrived at this time, in nanoseconds since 1970. O(1).
  [[nodiscard]] std::uint64_t place_of(std::uint64_t number, std::int64_t utc_ns);
  /// Returns the time of a place, in numbers.
  [[nodiscard]] std::uint64_t since_1970(std::uint64_t place) const { return place % span_; }

 private:
  struct Run {
    /// Offset from numbers to places.
    std::uint64_t base = 0;
    /// Position confirmed by two successive numbers; and the latest number.
    std::uint64_t last = 0, latest = 0;
    /// Numbers so far; 0: the run is unused.
    std::uint64_t heard = 0;
    /// Number of the run's last arrival.
    std::uint64_t used = 0;
  };

  [[nodiscard]] std::uint64_t fresh_base(std::uint64_t number, std::int64_t utc_ns);
  [[nodiscard]] Run* run_of(std::uint64_t number, bool is_after_silence);
  [[nodiscard]] bool is_followed(const Run& run, std::uint64_t number, bool is_after_silence) const;
  [[nodiscard]] Run& begin(std::uint64_t number, std::int64_t utc_ns, bool is_after_silence);
  [[nodiscard]] bool is_established(const Run& run) const;
  void vote(const Run& run);

  const double numbers_per_second_;
  /// Distance of the places of successive sender starts.
  const std::uint64_t span_;
  std::uint64_t beginnings_ = 0, arrivals_ = 0;
  /// If all are in use, a new run replaces one that is over or has hardly begun.
  std::array<Run, 8> runs_{};
  /// The run that is the stream, the run that competes with it, and the lead of the latter (TimeCandidate).
  std::size_t stream_ = 0, candidate_ = 0;
  /// The run that began after the latest silence, which may be near the stream's numbers.
  std::size_t after_silence_ = 0;
  std::uint64_t evidence_ = 0;
  std::int64_t last_utc_ns_ = 0;
};

}  // namespace takt::sensors
