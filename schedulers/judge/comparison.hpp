#pragma once
/// Comparison of schedulers on graphs and machines.

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/judge/comparison_row.hpp"

namespace takt::schedulers {

/// The input of a comparison: every scheduler on every graph and every machine. Graphs and machines have the
/// names that users know.
struct ComparisonInput {
  std::vector<std::pair<std::string, TaskGraph>> graphs;
  std::vector<std::pair<std::string, logp::Machine>> machines;
  std::vector<const Scheduler*> schedulers;
  Options options;
  /// Time limit of a scheduler and the evaluation of its schedule; none by default. With a limit each row is
  /// computed in a process of its own, which is ended at the limit; of a search that reports schedules
  /// (Options::listener) the best one by then is evaluated.
  std::optional<std::chrono::duration<double>> time_limit = std::nullopt;
  /// Whether each row has its schedule.
  bool keeps_schedules = false;
};

/// Progress of a comparison.
struct ComparisonProgress {
  std::size_t done = 0;
  std::size_t total = 0;
  /// Number of rows so far without a valid schedule.
  std::size_t failed = 0;
  /// The row just finished.
  const ComparisonRow& row;
};

/// Returns the rows: graph by graph, machine by machine, in the schedulers' order, independent of the
/// number of jobs, and reproducible except for the seconds. A failing scheduler affects only its own
/// row. Rows of one graph and machine share the best lower bounds that any of their schedulers knows.
/// A row whose bound exceeds another valid schedule's value is not valid.
///
/// Calls `report`, if given, after each row, from one thread at a time. Schedulers that run in
/// parallel (`jobs` of them, in threads or processes) compete for memory and caches: use one job for
/// timings.
[[nodiscard]] std::vector<ComparisonRow> compare(
    const ComparisonInput& input, std::size_t jobs,
    const std::function<void(const ComparisonProgress&)>& report = {});

/// Returns the directly comparable rows: those of each graph and machine, in the order of the rows.
[[nodiscard]] std::vector<std::span<const ComparisonRow>> instances_of(
    const std::vector<ComparisonRow>& rows);

}  // namespace takt::schedulers
