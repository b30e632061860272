#pragma once
/// Rows of a comparison that may take a while, but not longer.

#include <chrono>
#include <cstddef>
#include <functional>

#include "schedulers/judge/comparison_row.hpp"

namespace takt::schedulers {

/// How a row's process fills it.
struct BoundedFill {
  std::function<ComparisonRow(std::size_t)> whole;
  /// Called when the time is over, while `whole` is still at it in another thread: the row as far as it is
  /// known then, without figures where it is not.
  std::function<ComparisonRow(std::size_t)> so_far;
};

/// Fills `count` rows, each in a process of its own, `jobs` at a time. One that takes longer than `limit` is
/// asked what there is so far, and ended; `was_stopped` and its row's `error` say so. It has half as long
/// again to answer. One that dies says by which signal, and its figures are nothing. `done(i, row)` is called
/// after each. Must be called where no other thread runs. Throws WorkError when no process can be started.
void fill_bounded(std::size_t count, std::size_t jobs, std::chrono::duration<double> limit,
                  const BoundedFill& fill, const std::function<void(std::size_t, ComparisonRow)>& done);

}  // namespace takt::schedulers
