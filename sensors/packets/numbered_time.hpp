#pragma once
/// Times of packets that are merely numbered from their sender's start.

#include <array>
#include <cstdint>

namespace takt::sensors {

/// The first number's time is when it came, and time goes on with the numbers. Numbers that follow one
/// another are a run. A run that begins behind the stream's numbers, or follows them backwards after a
/// silence, is that of a sender that was started again: it has its own time, and is placed far away from the
/// others, so that the assembler's vote decides which run is the stream. One that begins ahead goes on with
/// the stream's time. Runs are remembered: a stream that comes back after forged numbers has its former time.
class NumberedTime {
 public:
  /// A place on the time axis stands for `parts` ticks of whoever assembles the stream.
  NumberedTime(double numbers_a_second, std::uint64_t parts);

  /// Of a number that came at this time, nanoseconds since 1970. O(1).
  [[nodiscard]] std::uint64_t place_of(std::uint64_t number, std::int64_t utc_ns);
  /// Of a place, in numbers.
  [[nodiscard]] std::uint64_t since_1970(std::uint64_t place) const { return place % span_; }

 private:
  struct Run {
    /// From numbers to places.
    std::uint64_t base = 0;
    /// How far it has come by the word of two numbers, one after the other; and its latest number.
    std::uint64_t last = 0, latest = 0;
    /// Numbers so far; 0: there is no such run.
    std::uint64_t heard = 0;
    /// Number of the arrival that was its last one.
    std::uint64_t used = 0;
  };

  [[nodiscard]] std::uint64_t fresh_base(std::uint64_t number, std::int64_t utc_ns);
  [[nodiscard]] Run* run_of(std::uint64_t number, bool is_after_silence);
  [[nodiscard]] bool is_followed(const Run& run, std::uint64_t number, bool is_after_silence) const;
  [[nodiscard]] Run& begin(std::uint64_t number, std::int64_t utc_ns, bool is_after_silence);
  [[nodiscard]] bool is_established(const Run& run) const;
  void vote(const Run& run);

  const double numbers_a_second_;
  /// Between the places of one beginning and those of the next.
  const std::uint64_t span_;
  std::uint64_t beginnings_ = 0, arrivals_ = 0;
  /// Where there is no room for another one, the one that is over or has hardly begun gives way first.
  std::array<Run, 8> runs_{};
  /// The run that is the stream, another one, and by how many numbers that one leads (TimeCandidate).
  std::size_t stream_ = 0, candidate_ = 0;
  /// The run that began after the latest silence, which may be near the stream's numbers.
  std::size_t after_silence_ = 0;
  std::uint64_t evidence_ = 0;
  std::int64_t last_utc_ns_ = 0;
};

}  // namespace takt::sensors
