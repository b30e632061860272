#pragma once
/// Schedulers set side by side on graphs and machines.

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

/// What to compare: every scheduler on every graph and every machine. Graphs and machines have the names
/// under which people know them.
struct ComparisonInput {
  std::vector<std::pair<std::string, TaskGraph>> graphs;
  std::vector<std::pair<std::string, logp::Machine>> machines;
  std::vector<const Scheduler*> schedulers;
  Options options;
  /// The longest that a scheduler and the judgement of its schedule may take; nothing means as long as they
  /// like. With a limit each row is made by a process of its own, which is ended when its time is over; of a
  /// search that tells of schedules (Options::listener) the best one by then is judged.
  std::optional<std::chrono::duration<double>> time_limit = std::nullopt;
};

/// How far a comparison is.
struct ComparisonProgress {
  std::size_t done = 0;
  std::size_t total = 0;
  /// Rows so far that have no valid schedule.
  std::size_t failed = 0;
  /// The row just finished.
  const ComparisonRow& row;
};

/// The rows: graph by graph, machine by machine, in the schedulers' order, whatever the number of jobs,
/// and the same each time but for the seconds. A scheduler that fails loses its own row only. Rows of one
/// graph and machine share the best lower bounds that any of their schedulers knows; one whose bound another
/// one's valid schedule is below is not valid.
///
/// `report`, if there is one, is called after each row, by one thread at a time. Schedulers that run at the
/// same time (`jobs` of them, in threads or processes) compete for memory and caches: for figures of time use
/// one job.
[[nodiscard]] std::vector<ComparisonRow> compare(
    const ComparisonInput& input, std::size_t jobs,
    const std::function<void(const ComparisonProgress&)>& report = {});

/// The rows of each graph and machine, in the order of the rows: what one can compare directly.
[[nodiscard]] std::vector<std::span<const ComparisonRow>> instances_of(
    const std::vector<ComparisonRow>& rows);

}  // namespace takt::schedulers
