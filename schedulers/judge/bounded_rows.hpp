#pragma once
/// Computes the rows of a comparison in processes with a time limit.

#include <chrono>
#include <cstddef>
#include <functional>

#include "schedulers/judge/comparison_row.hpp"

namespace takt::schedulers {

/// Callbacks that compute a row in its process.
struct BoundedFill {
  std::function<ComparisonRow(std::size_t)> whole;
  /// Called at the limit, while `whole` still runs in another thread: returns the row so far, without figures
  /// if it has none.
  std::function<ComparisonRow(std::size_t)> so_far;
};

/// Computes `count` rows, each in a process of its own, `jobs` in parallel. At `limit` a process is asked for
/// the row so far and then ended; `was_stopped` and the row's `error` record that. It may take half of the
/// limit for that. The row of a crashed process has its signal as error, and no figures. Calls `done(i, row)`
/// after each. Must be called while no other thread runs. Throws WorkError when no process can be started.
void fill_bounded(std::size_t count, std::size_t jobs, std::chrono::duration<double> limit,
                  const BoundedFill& fill, const std::function<void(std::size_t, ComparisonRow)>& done);

}  // namespace takt::schedulers
