#pragma once
/// A row of the table of figures.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace takt::pipeline {

/// Subject of a figure.
enum class Scope : std::uint8_t {
  run,
  rank,
  /// A rank and another rank that it waits for.
  peer,
  /// A rank and one of its sources.
  intake,
  task,
  /// A task and one of its inputs.
  edge,
  source,
  sink
};

enum class Unit : std::uint8_t { count, flag, ns, bytes, hertz, share };

/// Rule that merges the values of several ranks.
enum class Merge : std::uint8_t {
  sum,
  most,
  /// The least value that is not 0: a moment, where 0 means that it has not come.
  first,
  /// Durations: the buckets of all Histograms.
  histogram,
  /// Ranks do not send it: the report computes it.
  computed
};

/// Form of a count in the report. Metrics show the count itself.
enum class Shown : std::uint8_t {
  value,
  /// As a share of the time of the rank's loop, and of the time that its thread was watched.
  share_of_loop,
  share_of_watch,
  mean_per_run
};

struct Figure {
  /// Unique in its scope.
  std::string_view name;
  Scope scope = Scope::run;
  Unit unit = Unit::count;
  Merge merge = Merge::computed;
  Shown shown = Shown::value;
  /// Key in the JSON report within its scope, parts separated by dots; empty: not in the report.
  std::string_view key = {};
  /// Name for Prometheus, then labels: `name=value`, or a label that the scope has (metrics.cpp); empty:
  /// none.
  std::string_view metric = {};
  /// Heading in the tables of the verbose report, and on the live page; empty: not there.
  std::string_view column = {}, page = {};
  /// One line of Markdown without links; its first sentence describes the metric.
  std::string_view help = {};
};

/// Returns the rows of a scope.
template <std::size_t count>
consteval std::array<Figure, count> rows_of(Scope scope, const Figure (&rows)[count]) {
  std::array<Figure, count> all = std::to_array(rows);
  for (Figure& row : all) row.scope = scope;
  return all;
}

}  // namespace takt::pipeline
