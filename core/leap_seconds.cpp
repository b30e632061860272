#include "core/leap_seconds.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace takt {

namespace {

using Entry = LeapSecondTable::Entry;

constexpr std::int64_t ns_per_second = 1'000'000'000;
/// From the epoch of NTP, 1900, to that of POSIX.
constexpr std::int64_t ntp_to_unix = 2'208'988'800;
constexpr std::int64_t gps_epoch = 315'964'800, tai_minus_gps = 19;
constexpr std::int64_t before_1973 = 10;
/// 4000-01-01: no plausible time is later.
constexpr std::int64_t end_of_calendar = 64'060'588'800;
/// Larger files are not tables of leap seconds: 64 KiB hold a thousand entries.
constexpr std::size_t largest_file = 1 << 16;

std::int64_t second_of(int year, unsigned month, unsigned day) {
  using namespace std::chrono;
  return seconds(sys_days(year_month_day{std::chrono::year{year}, std::chrono::month{month},
                                         std::chrono::day{day}})
                     .time_since_epoch())
      .count();
}

/// Rounded down.
std::int64_t second_of_ns(std::int64_t ns) {
  return ns / ns_per_second - (ns % ns_per_second < 0 ? 1 : 0);
}

/// Returns the first days after a leap second, from 1972 on: IERS Bulletin C 1 to 70.
std::vector<Entry> known_entries() {
  constexpr std::array<std::pair<int, unsigned>, 28> first_days{
      {{1972, 1}, {1972, 7}, {1973, 1}, {1974, 1}, {1975, 1}, {1976, 1}, {1977, 1},
       {1978, 1}, {1979, 1}, {1980, 1}, {1981, 7}, {1982, 7}, {1983, 7}, {1985, 7},
       {1988, 1}, {1990, 1}, {1991, 1}, {1992, 7}, {1993, 7}, {1994, 7}, {1996, 1},
       {1997, 7}, {1999, 1}, {2006, 1}, {2009, 1}, {2012, 7}, {2015, 7}, {2017, 1}}};
  std::vector<Entry> entries;
  for (const auto& [year, month] : first_days)
    entries.push_back({second_of(year, month, 1), before_1973 + static_cast<std::int64_t>(entries.size())});
  return entries;
}

/// Returns the next word of a line; empty at its end.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
  line.remove_prefix(word.size());
  return word;
}

std::optional<std::int64_t> take_number(std::string_view& line) {
  const std::string_view word = take_word(line);
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  // Within these limits no sum overflows.
  constexpr std::int64_t most = std::int64_t{1} << 40;
  if (word.empty() || error != std::errc{} || rest != word.data() + word.size() || value < -most ||
      value > most)
    return std::nullopt;
  return value;
}

struct Lines {
  std::vector<Entry> entries;
  std::optional<std::int64_t> expiry;
  bool are_understood = true;
};

/// Parses `3692217600 37 # 1 Jan 2017`, and `#@ 3991593600`: seconds of NTP.
void read_ntp_line(std::string_view line, Lines& lines) {
  if (line.starts_with("#@")) {
    line.remove_prefix(2);
    if (const auto expiry = take_number(line)) lines.expiry = *expiry - ntp_to_unix;
    return;
  }
  line = line.substr(0, line.find('#'));
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  const auto second = take_number(line), offset = take_number(line);
  lines.are_understood = lines.are_understood && second && offset && take_word(line).empty();
  if (second && offset) lines.entries.push_back({*second - ntp_to_unix, *offset});
}

/// Parses `Leap 2016 Dec 31 23:59:60 + S`, and `#expires 1782604800`: POSIX seconds. Each line adds one to
/// the previous value.
void read_zone_line(std::string_view line, Lines& lines) {
  std::string_view rest = line;
  const std::string_view first = take_word(rest);
  if (first == "#expires") {
    if (const auto expiry = take_number(rest)) lines.expiry = *expiry;
    return;
  }
  if (first.empty() || first.starts_with('#')) return;
  if (first == "Expires") return;
  const auto year = take_number(rest);
  const std::string_view month = take_word(rest);
  const auto day = take_number(rest);
  const std::string_view time = take_word(rest), sign = take_word(rest);
  const bool is_june = month == "Jun" && day == 30, is_december = month == "Dec" && day == 31;
  if (first != "Leap" || !year || *year < 1972 || *year > 3000 || (!is_june && !is_december) ||
      time != "23:59:60" || sign != "+") {
    lines.are_understood = false;
    return;
  }
  if (lines.entries.empty()) lines.entries.push_back({second_of(1972, 1, 1), before_1973});
  lines.entries.push_back(
      {is_june ? second_of(static_cast<int>(*year), 7, 1) : second_of(static_cast<int>(*year) + 1, 1, 1),
       lines.entries.back().tai_minus_utc + 1});
}

std::optional<LeapSecondTable> read_system_table(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(largest_file, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.empty() || text.size() == largest_file) return std::nullopt;
  return LeapSecondTable::parse(text);
}

}  // namespace

LeapSecondTable::LeapSecondTable(std::vector<Entry> entries, std::int64_t expiry)
    : entries_(std::move(entries)), expiry_(expiry) {}

LeapSecondTable LeapSecondTable::built_in() {
  return {known_entries(), second_of(2026, 6, 28)};
}

std::optional<LeapSecondTable> LeapSecondTable::parse(std::string_view text) {
  // Both formats begin with comments; only one of them has lines of words.
  const bool has_words = text.find("\nLeap") != std::string_view::npos || text.starts_with("Leap");
  Lines lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    has_words ? read_zone_line(line, lines) : read_ntp_line(line, lines);
  }
  const std::vector<Entry> known = known_entries();
  if (!lines.are_understood || !lines.expiry || lines.entries.size() < known.size() ||
      !std::equal(known.begin(), known.end(), lines.entries.begin()))
    return std::nullopt;
  for (std::size_t i = 1; i < lines.entries.size(); ++i)
    if (lines.entries[i].unix_second <= lines.entries[i - 1].unix_second ||
        lines.entries[i].tai_minus_utc != lines.entries[i - 1].tai_minus_utc + 1)
      return std::nullopt;
  return LeapSecondTable(std::move(lines.entries), *lines.expiry);
}

std::int64_t LeapSecondTable::tai_minus_utc(std::int64_t unix_second) const {
  const auto next = std::ranges::upper_bound(entries_, unix_second, {}, &Entry::unix_second);
  return next == entries_.begin() ? entries_.front().tai_minus_utc : std::prev(next)->tai_minus_utc;
}

UtcSecond LeapSecondTable::utc_second(std::int64_t tai_second) const {
  // An entry holds from the TAI second of its first UTC second on; the second before that is the leap second.
  const auto next = std::ranges::upper_bound(
      entries_, tai_second, {}, [](const Entry& entry) { return entry.unix_second + entry.tai_minus_utc; });
  const std::int64_t offset =
      next == entries_.begin() ? entries_.front().tai_minus_utc : std::prev(next)->tai_minus_utc;
  const bool is_leap = next != entries_.end() && next != entries_.begin() &&
                       tai_second + 1 == next->unix_second + next->tai_minus_utc;
  return {tai_second - offset, is_leap};
}

std::int64_t LeapSecondTable::gps_second(std::int64_t unix_second) const {
  return tai_second(unix_second) - tai_minus_gps - gps_epoch;
}

UtcSecond LeapSecondTable::utc_of_gps(std::int64_t gps_second) const {
  return utc_second(gps_second + tai_minus_gps + gps_epoch);
}

std::int64_t LeapSecondTable::tai_ns(std::int64_t utc_ns) const {
  return utc_ns + tai_minus_utc(second_of_ns(utc_ns)) * ns_per_second;
}

std::int64_t LeapSecondTable::utc_ns(std::int64_t tai_ns) const {
  const std::int64_t second = second_of_ns(tai_ns);
  return tai_ns + (utc_second(second).unix_second - second) * ns_per_second;
}

bool LeapSecondTable::is_certain(std::int64_t from_unix_second, std::int64_t to_unix_second) const {
  using namespace std::chrono;
  const auto [first, last] = std::minmax(from_unix_second, to_unix_second);
  if (last < expiry_) return true;
  if (last >= end_of_calendar) return false;
  const year_month_day date{floor<days>(sys_seconds{seconds{last}})};
  // The last beginning of a half-year up to `last`.
  const std::int64_t half_year =
      second_of(static_cast<int>(date.year()), static_cast<unsigned>(date.month()) < 7 ? 1 : 7, 1);
  return half_year <= std::max(first, expiry_);
}

const LeapSecondTable& leap_seconds() {
  static const LeapSecondTable newest = [] {
    LeapSecondTable table = LeapSecondTable::built_in();
    for (const char* path : {"/usr/share/zoneinfo/leap-seconds.list", "/usr/share/zoneinfo/leapseconds"})
      if (std::optional<LeapSecondTable> other = read_system_table(path);
          other && other->expiry() > table.expiry())
        table = std::move(*other);
    return table;
  }();
  return newest;
}

std::string expired_leap_seconds(const LeapSecondTable& table) {
  using namespace std::chrono;
  const year_month_day date{floor<days>(sys_seconds{seconds{table.expiry()}})};
  return fmt::format(
      "the table of leap seconds expired on {:04}-{:02}-{:02}: times after that may be wrong by a second; "
      "install a current tzdata package",
      static_cast<int>(date.year()), static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

}  // namespace takt
