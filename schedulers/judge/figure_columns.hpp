#pragma once
/// The figures of a schedule as named columns: what JSON, CSV and tables print, in the same order everywhere.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "schedulers/judge/evaluation.hpp"

namespace takt::schedulers {

/// How many digits a number gets: all, or as many as a person reads.
enum class Digits : std::uint8_t { all, few };

struct FigureColumn {
  /// The key of JSON, the heading of CSV; docs/reference/cli.md says what it means.
  std::string_view name;
  bool is_number;
  /// Whether people see it in tables; programs see all.
  bool in_tables;
  /// A JSON number or truth value.
  std::string (*cell)(const Figures&, Digits);
};

[[nodiscard]] std::span<const FigureColumn> figure_columns();

/// `"scheduler": "heft"`, then every figure, with a separator between them.
[[nodiscard]] std::string figures_to_json(const Figures& figures, std::string_view separator);

/// A text as JSON; bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string quoted(const std::string& text);

/// A number with all its digits, or with four.
[[nodiscard]] std::string number(double value, Digits digits);

/// The same, but with as many digits as it takes to tell it from 1: what is not optimal does not look so.
[[nodiscard]] std::string ratio(double value, Digits digits);

}  // namespace takt::schedulers
