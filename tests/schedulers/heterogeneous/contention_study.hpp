#pragma once
/// The experiments of Y. Ruan, G. Liu, J. Han, Q. Li, "Communication-aware scheduling algorithm based on
/// heterogeneous computing systems" (2007), section 4: the errors and the quality of plans by a heuristic
/// that ignores contention, and by one that models it.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Means over all graphs of one communication-to-computation ratio, in percent.
struct ContentionRow {
  double ccr = 0;
  /// Relative error of the plans, without contention and with it.
  double classic_error = 0;
  double aware_error = 0;
  /// Speed-up over processors of the executions: of both, and of the search from their results.
  double classic_efficiency = 0;
  double aware_efficiency = 0;
  double search_efficiency = 0;
};

/// The ratios of the paper, of all edges together to all tasks together.
inline constexpr double paper_ratios[] = {0.1, 1, 5, 10};

/// Layered graphs of each size and of 1, 2, 5 and 10 parents per task, `seeds` of each. Both list schedulers
/// are the same except for the model: one plans on the delay model, one on `contention:`. The execution uses
/// a machine that neither models, whose processors also have a channel for sends (`contention:channel=both`);
/// each plan keeps its processors and its order there. `machine` is the text after `contention:`. The search
/// runs if `with_search` is set. Calls `begins` before each of the contention_graphs() graphs, with the
/// number of its tasks.
[[nodiscard]] std::vector<ContentionRow> contention_study(
    std::span<const std::size_t> sizes, std::size_t seeds, std::string_view machine, bool with_search,
    const std::function<void(std::size_t)>& begins = {});
[[nodiscard]] std::size_t contention_graphs(std::size_t sizes, std::size_t seeds);

/// Returns a scheduler's row in the table of makespans on `contention:`, for graphs of 200 tasks, one for
/// each of the paper's ratios.
[[nodiscard]] std::string contention_line(std::string_view scheduler, std::string_view machine,
                                          NetworkMapping mapping);

}  // namespace takt::schedulers
