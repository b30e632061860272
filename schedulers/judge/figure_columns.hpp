#pragma once
/// The figures of a schedule as named columns: what JSON, CSV and tables print, in the same order everywhere.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json_fwd.hpp>

#include "core/period.hpp"
#include "schedulers/judge/evaluation.hpp"

namespace takt::schedulers {

/// How many digits a number gets: all, or as many as a person reads.
enum class Digits : std::uint8_t { all, few };

/// A figure over its bound: few digits are as many as tell it from 1, so that what is not optimal does not
/// look so.
struct Ratio {
  double value = 1;
};

using Figure = std::variant<bool, std::int64_t, double, Ratio, Period>;

[[nodiscard]] std::string to_text(const Figure& figure, Digits digits);
/// A truth value or a number; whole ones as such.
[[nodiscard]] nlohmann::ordered_json to_json(const Figure& figure);

struct FigureColumn {
  /// The key of JSON, the heading of CSV; docs/reference/cli.md says what it means.
  std::string_view name;
  bool is_number;
  /// Whether people see it in tables; programs see all.
  bool in_tables;
  Figure (*of)(const Figures&);
};

[[nodiscard]] std::span<const FigureColumn> figure_columns();

/// Adds `scheduler` and every figure to an object.
void add_figures(nlohmann::ordered_json& object, const Figures& figures);

/// Behind a bound of the period: of which schedules it is one, in brackets; nothing where it is of all.
[[nodiscard]] std::string of_class(const Figures& figures);

}  // namespace takt::schedulers
