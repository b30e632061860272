#pragma once
/// Rows of a comparison that may take a while, but not longer.

#include <chrono>
#include <cstddef>
#include <functional>

#include "schedulers/judge/comparison_row.hpp"

namespace takt::schedulers {

/// Fills `count` rows by `fill(i)`, each in a process of its own, `jobs` at a time. One that takes longer
/// than `limit` is ended, and its row's `error` says so, or by which signal it died; its figures are then
/// nothing. `done(i, row)` is called after each. Must be called where no other thread runs. Throws WorkError
/// when no process can be started.
void fill_bounded(std::size_t count, std::size_t jobs, std::chrono::duration<double> limit,
                  const std::function<ComparisonRow(std::size_t)>& fill,
                  const std::function<void(std::size_t, ComparisonRow)>& done);

}  // namespace takt::schedulers
