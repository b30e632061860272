#include "core/pictures/figure_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace takt {

namespace {

struct FigureUnit {
  std::string_view name;
  double size;
};

constexpr double kibi = 1024;
constexpr std::array figure_times{FigureUnit{"ns", 1}, FigureUnit{"us", 1e3}, FigureUnit{"ms", 1e6},
                                  FigureUnit{"s", 1e9}};
constexpr std::array figure_sizes{FigureUnit{"B", 1}, FigureUnit{"KiB", kibi}, FigureUnit{"MiB", kibi* kibi},
                                  FigureUnit{"GiB", kibi* kibi* kibi}};
constexpr std::array figure_frequencies{FigureUnit{"Hz", 1}, FigureUnit{"kHz", 1e3}, FigureUnit{"MHz", 1e6},
                                        FigureUnit{"GHz", 1e9}};
constexpr std::array<std::span<const FigureUnit>, 3> figure_units{figure_times, figure_sizes,
                                                                  figure_frequencies};

/// A narrow non-breaking blank.
constexpr std::string_view between_thousands = "\u202f";

std::string grouped(std::string digits) {
  constexpr std::size_t group = 3;
  const std::size_t begin = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = digits.size(); at > begin + group;) {
    at -= group;
    digits.insert(at, between_thousands);
  }
  return digits;
}

std::string superscript(int exponent) {
  constexpr std::string_view digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char letter : fmt::format("{}", exponent))
    text += letter == '-' ? "⁻" : digits[static_cast<std::size_t>(letter - '0')];
  return text;
}

/// Returns the largest unit in which the value is at least one.
const FigureUnit& fitting(double value, std::span<const FigureUnit> ascending) {
  const FigureUnit* best = &ascending.front();
  for (const FigureUnit& unit : ascending)
    if (std::abs(value) >= unit.size) best = &unit;
  return *best;
}

/// Six digits, or all digits of a larger whole number.
std::string with_unit(double value, std::span<const FigureUnit> units) {
  const FigureUnit& unit = fitting(value, units);
  const double shown = value / unit.size;
  constexpr double many = 1e6;
  const std::string digits = std::abs(shown) >= many || (shown != 0 && std::abs(shown) < 1e-3)
                                 ? number_text(shown)
                                 : fmt::format("{:.6g}", shown);
  return fmt::format("{} {}", digits, unit.name);
}

/// `-12.5 us` in its parts; nothing for other texts.
struct FigureParts {
  double value = 0;
  std::size_t digits = 0, decimals = 0;
  std::string_view unit;
};

std::optional<FigureParts> parts_of(std::string_view cell) {
  const std::size_t end = cell.find(' ');
  if (end == std::string_view::npos || cell.find_first_of("0123456789", end) != std::string_view::npos)
    return std::nullopt;
  FigureParts parts{.unit = cell.substr(end + 1)};
  const std::string_view number = cell.substr(0, end);
  const auto [last, error] =
      std::from_chars(number.data(), number.data() + number.size(), parts.value, std::chars_format::fixed);
  if (error != std::errc{} || last != number.data() + number.size()) return std::nullopt;
  const std::size_t point = std::min(number.find('.'), number.size());
  parts.digits = point - (number.starts_with('-') ? 1 : 0);
  parts.decimals = point < number.size() ? number.size() - point - 1 : 0;
  return parts;
}

std::optional<double> number_of_cell(const std::string& cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc{} || end != cell.data() + cell.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string number_text(double value) {
  constexpr double many = 1e6, whole_from = 9999.5, whole_until = 1e15, least = 1e-3;
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return value > 0 ? "∞" : "-∞";
  const double size = std::abs(value);
  if (size < whole_until && (value == std::round(value) || size >= whole_from)) {
    // Avoids the sign of a negative zero.
    const std::string digits = fmt::format("{:.0f}", std::round(value) + 0.0);
    return size < many ? digits : grouped(digits);
  }
  if (size >= least && size < whole_from) return fmt::format("{:.4g}", value);
  const std::string text = fmt::format("{:.2e}", value);
  const std::size_t at = text.find('e');
  std::string digits = text.substr(0, at);
  while (digits.ends_with('0')) digits.pop_back();
  if (digits.ends_with('.')) digits.pop_back();
  const std::string power = "10" + superscript(std::stoi(text.substr(at + 1)));
  return digits == "1" ? power : digits == "-1" ? "-" + power : digits + "×" + power;
}

std::string time_text(double ns) {
  return with_unit(ns, figure_times);
}

std::string bytes_text(double bytes) {
  return with_unit(bytes, figure_sizes);
}

std::string frequency_text(double hertz) {
  return with_unit(hertz, figure_frequencies);
}

std::string share_text(double share) {
  constexpr double percent = 100, least = 0.005;
  const double value = percent * share;
  return value > 0 && value < least ? "< 0.01 %" : fmt::format("{:.2f} %", value);
}

std::string ranges_text(std::span<const std::size_t> processors) {
  std::string text;
  for (std::size_t i = 0; i < processors.size();) {
    std::size_t last = i;
    while (last + 1 < processors.size() && processors[last + 1] == processors[last] + 1) ++last;
    text += fmt::format("{}P{}", text.empty() ? "" : ", ", processors[i]);
    if (last > i) text += fmt::format("-P{}", processors[last]);
    i = last + 1;
  }
  return text;
}

std::string cell_text(ColumnKind kind, const std::string& cell) {
  if (kind == ColumnKind::text) return cell;
  const std::optional<double> value = number_of_cell(cell);
  if (!value) return cell;
  switch (kind) {
    case ColumnKind::ns:
      return time_text(*value);
    case ColumnKind::seconds:
      return time_text(*value * ns_per_second);
    case ColumnKind::hz:
      return frequency_text(*value);
    case ColumnKind::bytes:
      return bytes_text(*value);
    case ColumnKind::share:
      return share_text(*value);
    case ColumnKind::text:
    case ColumnKind::number:
      break;
  }
  // Keeps explicitly chosen digits.
  constexpr std::size_t short_enough = 8;
  const bool is_plain = cell.size() <= short_enough && cell.find_first_of("eE") == std::string::npos;
  return is_plain && std::abs(*value) < 1e6 ? cell : number_text(*value);
}

std::vector<std::string> aligned(std::vector<std::string> cells) {
  struct Column {
    std::size_t digits = 0, decimals = 0;
  };
  std::map<std::string, Column, std::less<>> columns;
  for (const std::string& cell : cells)
    if (const auto parts = parts_of(cell)) {
      Column& column = columns[std::string(parts->unit)];
      column.digits = std::max(column.digits, parts->digits);
      column.decimals = std::max(column.decimals, parts->decimals);
    }
  constexpr std::size_t known = 6;
  for (std::string& cell : cells)
    if (const auto parts = parts_of(cell)) {
      const auto& [digits, decimals] = columns.find(parts->unit)->second;
      cell = fmt::format("{:.{}f} {}", parts->value, std::min(decimals, known - std::min(known, digits)),
                         parts->unit);
    }
  return cells;
}

AxisUnit axis_unit(std::string_view title, double most) {
  const bool is_bracketed = title.ends_with(')');
  const std::size_t begin = is_bracketed ? title.rfind('(') + 1 : 0;
  const std::string_view name = title.substr(begin, title.size() - begin - (is_bracketed ? 1 : 0));
  // Live pages and recordings use the full name.
  const std::string_view unit = name == "seconds" ? "s" : name;
  for (const std::span<const FigureUnit> units : figure_units)
    for (const FigureUnit& each : units) {
      if (each.name != unit) continue;
      if (!(most > 0)) break;
      const FigureUnit& best = fitting(most * each.size, units);
      // Bandwidths are displayed in MHz even above 1000.
      constexpr double many = 1e4;
      const bool is_band = units.data() == figure_frequencies.data() && best.size > each.size && most < many;
      if (is_band) break;
      if (best.name == each.name) break;
      return {is_bracketed ? fmt::format("{}({})", title.substr(0, begin - 1), best.name)
                           : std::string(best.name),
              best.size / each.size};
    }
  return {std::string(title), 1};
}

std::string mark_text(double mark, double step) {
  constexpr double many = 1e6, least = 1e-6;
  if (std::abs(mark) < step * 1e-6) return "0";
  if (std::abs(mark) >= many || step < least) return number_text(mark);
  const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  return fmt::format("{:.{}f}", mark, digits);
}

}  // namespace takt
