#include "core/units.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"

namespace takt {

namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array time_units{Unit{"ns", 1},  Unit{"us", 1e3},   Unit{"ms", 1e6},
                                Unit{"s", 1e9}, Unit{"min", 60e9}, Unit{"h", 3600e9}};
constexpr std::array byte_units{Unit{"B", 1},
                                Unit{"kB", 1e3},
                                Unit{"MB", 1e6},
                                Unit{"GB", 1e9},
                                Unit{"KiB", 1024},
                                Unit{"MiB", 1024.0 * 1024},
                                Unit{"GiB", 1024.0 * 1024 * 1024}};
constexpr std::array frequency_units{Unit{"Hz", 1}, Unit{"kHz", 1e3}, Unit{"MHz", 1e6}, Unit{"GHz", 1e9}};

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Alternative spellings of units.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> other_words{{{"sec", "s"},
                                                                                     {"secs", "s"},
                                                                                     {"second", "s"},
                                                                                     {"seconds", "s"},
                                                                                     {"m", "min"},
                                                                                     {"mins", "min"},
                                                                                     {"minute", "min"},
                                                                                     {"minutes", "min"},
                                                                                     {"hour", "h"},
                                                                                     {"hours", "h"},
                                                                                     {"usec", "us"},
                                                                                     {"msec", "ms"}}};

/// Returns the unit that another word probably means.
std::optional<std::string_view> meant_unit(std::string_view written, std::span<const Unit> units) {
  const auto lower = [](std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
  };
  std::string word = lower(written);
  for (const auto& [other, unit] : other_words)
    if (word == other) word = unit;
  for (const Unit& unit : units)
    if (lower(unit.name) == word && unit.name != written) return unit.name;
  return std::nullopt;
}

[[noreturn]] void refuse(std::string_view what, std::string_view text, std::span<const Unit> units) {
  std::string names;
  for (const Unit& unit : units) names += fmt::format(" {}", unit.name);
  const std::string_view trimmed = trim(text);
  const std::size_t end_of_number = trimmed.find_last_of("0123456789.");
  const std::optional<std::string_view> meant =
      end_of_number == std::string_view::npos ? std::nullopt
                                              : meant_unit(trim(trimmed.substr(end_of_number + 1)), units);
  throw ConfigError(fmt::format("'{}' is not a {}: expected a number that is not negative, then one of{}{}",
                                text, what, names, meant ? fmt::format("; did you mean '{}'?", *meant) : ""));
}

/// Parses a non-negative number and a unit; without a unit the factor is 1.
double parse_quantity(std::string_view what, std::string_view text, std::span<const Unit> units) {
  const std::string_view trimmed = trim(text);
  double value = 0;
  const auto [rest, error] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), value);
  if (error != std::errc{} || !std::isfinite(value) || value < 0) refuse(what, text, units);
  const std::string_view unit_name = trim(trimmed.substr(static_cast<std::size_t>(rest - trimmed.data())));
  if (unit_name.empty()) return value;
  for (const Unit& unit : units)
    if (unit.name == unit_name && std::isfinite(value * unit.factor)) return value * unit.factor;
  refuse(what, text, units);
}

/// Formats the value in the largest unit of which it holds at least one.
std::string scaled(double value, std::span<const Unit> ascending) {
  const Unit* best = &ascending.front();
  for (const Unit& unit : ascending)
    if (std::abs(value) >= unit.factor * 0.9995) best = &unit;
  const double shown = value / best->factor;
  if (std::abs(shown) >= 1000) return fmt::format("{:.0f} {}", shown, best->name);
  return fmt::format("{:.3g} {}", shown, best->name);
}

/// Parses a whole number, optionally with a unit; returns nothing if it has a fraction or does not fit.
std::optional<std::uint64_t> parse_whole(std::string_view text, std::span<const Unit> units) {
  const std::string_view trimmed = trim(text);
  std::uint64_t value = 0;
  const auto [rest, error] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), value);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view unit_name = trim(trimmed.substr(static_cast<std::size_t>(rest - trimmed.data())));
  std::uint64_t factor = 1;
  if (!unit_name.empty()) {
    const auto unit =
        std::find_if(units.begin(), units.end(), [&](const Unit& each) { return each.name == unit_name; });
    if (unit == units.end()) return std::nullopt;
    factor = static_cast<std::uint64_t>(unit->factor);
  }
  if (__builtin_mul_overflow(value, factor, &value)) return std::nullopt;
  return value;
}

/// Parses a count of the smallest unit that fits 63 bits; fractions are rounded to nearest.
std::int64_t parse_count(std::string_view what, std::string_view text, std::span<const Unit> units) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  if (const std::optional<std::uint64_t> whole = parse_whole(text, units);
      whole && *whole <= static_cast<std::uint64_t>(largest))
    return static_cast<std::int64_t>(*whole);
  const double value = parse_quantity(what, text, units);
  if (value >= static_cast<double>(largest)) refuse(what, text, units);
  return std::llround(value);
}

}  // namespace

Time parse_time(std::string_view text) {
  return Time(parse_count("duration", text, time_units));
}

Time parse_duration(std::string_view text) {
  const Time time = parse_time(text);
  const bool has_unit =
      std::ranges::any_of(time_units, [&](const Unit& unit) { return trim(text).ends_with(unit.name); });
  if (!has_unit && time != Time{0})
    throw ConfigError(fmt::format("'{}' has no unit: expected a duration such as 5s, 200ms or 10us", text));
  return time;
}

Bytes parse_bytes(std::string_view text) {
  return Bytes{static_cast<std::uint64_t>(parse_count("size", text, byte_units))};
}

Frequency parse_frequency(std::string_view text) {
  return Frequency{parse_quantity("frequency", text, frequency_units)};
}

std::string to_string(Time time) {
  return scaled(static_cast<double>(time.count()), std::span(time_units).first(4));
}

std::string to_string(Bytes bytes) {
  constexpr std::array binary{Unit{"B", 1}, Unit{"KiB", 1024}, Unit{"MiB", 1024.0 * 1024},
                              Unit{"GiB", 1024.0 * 1024 * 1024}};
  return scaled(static_cast<double>(bytes.count), binary);
}

std::string to_string(Frequency frequency) {
  return scaled(frequency.hertz, frequency_units);
}

}  // namespace takt
