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

using Figure = std::variant<bool, std::int64_t, double, Ratio, Period, std::string>;

[[nodiscard]] std::string to_text(const Figure& figure, Digits digits);
/// A truth value, a number (whole ones as such) or a text.
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

/// Of which schedules the bound of the period is one.
[[nodiscard]] std::string lower_bound_among(const Figures& figures);
/// Of which schedules none has a smaller period; nothing where that is not known of any.
[[nodiscard]] std::string optimal_among(const Figures& figures);
/// How much is known of the period: `optimal`, `optimal among` a class of schedules, or by how much another
/// schedule could be better at most, such as `within 3.2 % of the bound`; `not valid` of such a schedule.
[[nodiscard]] std::string proven(const Figures& figures);

/// Behind a bound of the period: of which schedules it is one, in brackets; nothing where it is of all.
[[nodiscard]] std::string of_class(const Figures& figures);

}  // namespace takt::schedulers
