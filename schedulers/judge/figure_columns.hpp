#pragma once
/// The figures of a schedule as named columns, in the same order in JSON, CSV and tables.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json_fwd.hpp>

#include "core/period.hpp"
#include "schedulers/judge/evaluation.hpp"

namespace takt::schedulers {

/// Number of digits: all, or as many as a user reads.
enum class Digits : std::uint8_t { all, few };

/// A figure over its bound, with enough digits to distinguish it from 1, so that no other schedule looks
/// optimal.
struct Ratio {
  double value = 1;
};

using Figure = std::variant<bool, std::int64_t, double, Ratio, Period, std::string>;

[[nodiscard]] std::string to_text(const Figure& figure, Digits digits);
/// Returns a truth value, a number (integers as such) or a text.
[[nodiscard]] nlohmann::ordered_json to_json(const Figure& figure);

struct FigureColumn {
  /// The key of JSON, the heading of CSV; docs/reference/cli.md documents its meaning.
  std::string_view name;
  bool is_number;
  /// Whether tables for users show it; output for programs has all.
  bool in_tables;
  Figure (*of)(const Figures&);
};

[[nodiscard]] std::span<const FigureColumn> figure_columns();

/// Adds `scheduler` and every figure to an object.
void add_figures(nlohmann::ordered_json& object, const Figures& figures);

/// Returns the class of schedules that the bound of the period holds for.
[[nodiscard]] std::string lower_bound_among(const Figures& figures);
/// Returns the class of schedules in which the period is proven to be minimal; empty without a proof.
[[nodiscard]] std::string optimal_among(const Figures& figures);
/// Returns the proof state of the period: `optimal`, `optimal among` a class of schedules, or the largest
/// possible improvement, such as `within 3.2 % of the bound`; `not valid` for an invalid schedule.
[[nodiscard]] std::string proven(const Figures& figures);

/// Returns the class of a bound in brackets, to follow the bound; empty for all schedules.
[[nodiscard]] std::string of_class(const Figures& figures);

}  // namespace takt::schedulers
