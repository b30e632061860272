#pragma once
/// Times, sizes and rates, and their text forms.
///
/// Time is whole nanoseconds everywhere; abstract experiments call one nanosecond a tick. Text such as `10
/// us`, `4 KiB` or `2.4 kHz` is parsed at the edge (YAML, command line) and nowhere else.

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace takt {

using Time = std::chrono::nanoseconds;

/// A number of bytes; in abstract graphs, of data units.
struct Bytes {
  std::uint64_t count = 0;

  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  constexpr Bytes& operator+=(Bytes other) {
    count += other.count;
    return *this;
  }
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return a += b; }
};

/// A rate in Hz.
struct Frequency {
  double hertz = 0;

  friend constexpr auto operator<=>(Frequency, Frequency) = default;
};

/// Parses `250`, `250 ns`, `10us`, `1.5 ms`, `2 s`, `3 min`, `1 h`; a number alone is nanoseconds (ticks).
/// Throws ConfigError if the text is no duration, is negative, or does not fit 63 bits of nanoseconds.
[[nodiscard]] Time parse_time(std::string_view text);

/// As parse_time, but a unit is required, since `5` alone may mean seconds; for real times. 0 needs none.
[[nodiscard]] Time parse_duration(std::string_view text);

/// Parses `512`, `512 B`, `4 KiB`, `1.5MiB`, `2 GiB`, `1 kB`, `3 MB`, `1 GB`. Throws ConfigError.
[[nodiscard]] Bytes parse_bytes(std::string_view text);

/// Parses `50`, `50 Hz`, `2.4 kHz`, `1 MHz`, `1 GHz`; a number alone is hertz. Throws ConfigError.
[[nodiscard]] Frequency parse_frequency(std::string_view text);

/// Format for display with three significant digits: `12.3 us`, `4 KiB`, `2.44 kHz`.
[[nodiscard]] std::string to_string(Time time);
[[nodiscard]] std::string to_string(Bytes bytes);
[[nodiscard]] std::string to_string(Frequency frequency);

}  // namespace takt
