#pragma once
/// Leap seconds: conversions between UTC, TAI and GPS time.
///
/// UTC is counted as in POSIX: seconds since 1970 of days of 86400 s, so that a leap second 23:59:60 shares
/// its number with the following 00:00:00. TAI seconds count every second: the POSIX second plus TAI - UTC.
/// Source: IERS Bulletin C; file formats of `leap-seconds.list` (NTP) and `leapseconds` (tzdata).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace takt {

/// A second of UTC.
struct UtcSecond {
  std::int64_t unix_second = 0;
  /// 23:59:60; `unix_second` is then that of the following 00:00:00.
  bool is_leap = false;
  friend bool operator==(const UtcSecond&, const UtcSecond&) = default;
};

/// One table of leap seconds. Before 1972, when UTC had no whole leap seconds, TAI - UTC counts as 10 s.
class LeapSecondTable {
 public:
  /// From this POSIX second on, TAI - UTC has this value in seconds.
  struct Entry {
    std::int64_t unix_second = 0;
    std::int64_t tai_minus_utc = 10;
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  /// Returns the built-in table, which is complete up to its `expiry`.
  [[nodiscard]] static LeapSecondTable built_in();
  /// Parses a `leap-seconds.list` or a `leapseconds` file. Returns nothing if it is neither, contradicts the
  /// built-in table, or has no expiry date.
  [[nodiscard]] static std::optional<LeapSecondTable> parse(std::string_view text);

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  /// Returns the POSIX second from which on further leap seconds may exist that the table does not have.
  [[nodiscard]] std::int64_t expiry() const { return expiry_; }

  /// Returns TAI - UTC, in seconds, at a POSIX second. O(log n), as all conversions.
  [[nodiscard]] std::int64_t tai_minus_utc(std::int64_t unix_second) const;
  [[nodiscard]] std::int64_t tai_second(std::int64_t unix_second) const {
    return unix_second + tai_minus_utc(unix_second);
  }
  [[nodiscard]] UtcSecond utc_second(std::int64_t tai_second) const;

  /// Returns seconds since 1980-01-06, the GPS epoch, which count leap seconds: TAI - GPS is 19 s.
  [[nodiscard]] std::int64_t gps_second(std::int64_t unix_second) const;
  [[nodiscard]] UtcSecond utc_of_gps(std::int64_t gps_second) const;

  /// Convert nanoseconds likewise; back, a leap second has the nanoseconds of the following 00:00:00.
  [[nodiscard]] std::int64_t tai_ns(std::int64_t utc_ns) const;
  [[nodiscard]] std::int64_t utc_ns(std::int64_t tai_ns) const;
  /// Returns the POSIX nanoseconds this many elapsed (SI) nanoseconds after, or before, a time.
  [[nodiscard]] std::int64_t utc_ns_after(std::int64_t utc_ns, std::int64_t elapsed_ns) const {
    return this->utc_ns(tai_ns(utc_ns) + elapsed_ns);
  }

  /// Reports whether the number of leap seconds between two POSIX seconds is certain: both precede the
  /// expiry, or no end of June or December, with a possible leap second, lies between them after it.
  [[nodiscard]] bool is_certain(std::int64_t from_unix_second, std::int64_t to_unix_second) const;

 private:
  LeapSecondTable(std::vector<Entry> entries, std::int64_t expiry);

  /// In ascending order; the first one also applies to all earlier times.
  std::vector<Entry> entries_;
  std::int64_t expiry_;
};

/// Returns the newest of the built-in table and the system's (`leap-seconds.list` and `leapseconds` of
/// /usr/share/zoneinfo), by expiry date. Read once, at the first call. Thread-safe.
[[nodiscard]] const LeapSecondTable& leap_seconds();

/// Returns a warning about times that `is_certain` rejects: the table, its expiry, and what to do.
[[nodiscard]] std::string expired_leap_seconds(const LeapSecondTable& table);

}  // namespace takt
