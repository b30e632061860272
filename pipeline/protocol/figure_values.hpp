#pragma once
/// Values of figures, by the names of the table (figures.hpp). A name that is not in it does not compile.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units.hpp"
#include "pipeline/protocol/figures.hpp"
#include "pipeline/protocol/histogram.hpp"

namespace takt::pipeline {

/// Which rows of a scope a container has: those that ranks count, and all.
enum class RowKind : std::uint8_t { counts, histograms, all };

constexpr bool has_row(RowKind rows, const Figure& figure) {
  if (rows == RowKind::all) return true;
  if (rows == RowKind::histograms) return figure.merge == Merge::histogram;
  return figure.merge != Merge::histogram && figure.merge != Merge::computed;
}

/// Of a scope, in the order of the table.
template <Scope scope, RowKind kind>
inline constexpr auto figure_rows = [] {
  constexpr auto is_in = [](const Figure& figure) { return figure.scope == scope && has_row(kind, figure); };
  constexpr std::size_t count = [=] {
    std::size_t found = 0;
    for (const Figure& figure : figure_table)
      if (is_in(figure)) ++found;
    return found;
  }();
  std::array<const Figure*, count> rows{};
  std::size_t next = 0;
  for (const Figure& figure : figure_table)
    if (is_in(figure)) rows[next++] = &figure;
  return rows;
}();

template <Scope scope, RowKind kind>
consteval std::size_t row_of(std::string_view name) {
  std::size_t row = 0;
  while (figure_rows<scope, kind>.at(row)->name != name) ++row;
  return row;
}

/// The place of a figure among the rows of its scope, found when the program is compiled.
template <Scope scope, RowKind kind>
class FigureName {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): names are written where they are used.
  consteval FigureName(const char* name) : index_(row_of<scope, kind>(name)) {}
  [[nodiscard, gnu::always_inline]] constexpr std::size_t index() const { return index_; }

 private:
  std::size_t index_;
};

/// Counts of a rank; 0 and empty at first.
template <Scope scope>
class Counts {
 public:
  using Name = FigureName<scope, RowKind::counts>;
  using HistogramName = FigureName<scope, RowKind::histograms>;
  struct Value {
    Name name;
    std::uint64_t value;
  };

  Counts() = default;
  Counts(std::initializer_list<Value> values) {
    for (const Value& each : values) (*this)[each.name] = each.value;
  }

  [[nodiscard]] std::uint64_t& operator[](Name name) { return values_[name.index()]; }
  [[nodiscard]] std::uint64_t operator[](Name name) const { return values_[name.index()]; }
  [[nodiscard]] Buckets& histogram(HistogramName name) { return histograms_[name.index()]; }
  [[nodiscard]] const Buckets& histogram(HistogramName name) const { return histograms_[name.index()]; }

  /// Merges the counts of another rank.
  void add(const Counts& other) {
    for (std::size_t i = 0; i < values_.size(); ++i)
      merge_into(values_[i], other.values_[i], figure_rows<scope, RowKind::counts>[i] -> merge);
    for (std::size_t i = 0; i < histograms_.size(); ++i)
      histograms_[i].insert(histograms_[i].end(), other.histograms_[i].begin(), other.histograms_[i].end());
  }

  /// Calls `use` with each row of the table and its value; the other one with each histogram.
  template <class Self, class Use>
  static void each_count(Self& self, Use use) {
    for (std::size_t i = 0; i < self.values_.size(); ++i)
      use(*figure_rows<scope, RowKind::counts>[i], self.values_[i]);
  }
  template <class Self, class Use>
  static void each_histogram(Self& self, Use use) {
    for (std::size_t i = 0; i < self.histograms_.size(); ++i)
      use(*figure_rows<scope, RowKind::histograms>[i], self.histograms_[i]);
  }

 private:
  std::array<std::uint64_t, figure_rows<scope, RowKind::counts>.size()> values_{};
  std::array<Buckets, figure_rows<scope, RowKind::histograms>.size()> histograms_;
};

/// Figures of a report; nothing where unknown.
template <Scope scope>
class FigureValues {
 public:
  using Name = FigureName<scope, RowKind::all>;
  struct Value {
    Name name;
    double value;
  };

  FigureValues() = default;
  FigureValues(std::initializer_list<Value> values) {
    for (const Value& each : values) (*this)[each.name] = each.value;
  }

  [[nodiscard]] std::optional<double>& operator[](Name name) { return values_[name.index()]; }
  [[nodiscard]] const std::optional<double>& operator[](Name name) const { return values_[name.index()]; }
  /// Returns 0 where unknown.
  [[nodiscard]] double value(Name name) const { return (*this)[name].value_or(0); }
  [[nodiscard]] std::uint64_t count(Name name) const { return static_cast<std::uint64_t>(value(name)); }
  [[nodiscard]] Time time(Name name) const { return Time(std::llround(value(name))); }
  [[nodiscard]] bool flag(Name name) const { return value(name) != 0; }

  /// Calls `use` with each row of the table and its value.
  template <class Use>
  void each(Use use) const {
    for (std::size_t i = 0; i < values_.size(); ++i) use(*figure_rows<scope, RowKind::all>[i], values_[i]);
  }
  template <class Use>
  void each(Use use) {
    for (std::size_t i = 0; i < values_.size(); ++i) use(*figure_rows<scope, RowKind::all>[i], values_[i]);
  }

 private:
  std::array<std::optional<double>, figure_rows<scope, RowKind::all>.size()> values_;
};

/// Divisors of counts for shares and means.
struct Divisors {
  std::uint64_t loop_ns = 0, watched_ns = 0, runs = 0;
};

/// Returns the figure that a report shows for a count.
[[nodiscard]] std::optional<double> shown_value(const Figure& figure, std::uint64_t count,
                                                const Divisors& divisors);

/// Returns the figures of all counts; those that the report computes are unknown.
template <Scope scope>
[[nodiscard]] FigureValues<scope> shown(const Counts<scope>& counts, const Divisors& divisors) {
  FigureValues<scope> values;
  Counts<scope>::each_count(counts, [&](const Figure& counted, std::uint64_t count) {
    values.each([&](const Figure& row, std::optional<double>& value) {
      if (&row == &counted) value = shown_value(row, count, divisors);
    });
  });
  return values;
}

}  // namespace takt::pipeline
