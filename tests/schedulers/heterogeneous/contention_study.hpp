#pragma once
/// The experiments of Y. Ruan, G. Liu, J. Han, Q. Li, "Communication-aware scheduling algorithm based on
/// heterogeneous computing systems" (2007), section 4: how far plans are from what happens, and how good they
/// are, where a heuristic ignores that messages meet, and where it does not.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Means over all graphs of one ratio of communication to computation, in percent.
struct ContentionRow {
  double ccr = 0;
  /// By how much plans differ from what happens, in parts of it: without contention, with it.
  double classic_error = 0;
  double aware_error = 0;
  /// Speed-up over processors of what happens: of both, and of the search that goes on from there.
  double classic_efficiency = 0;
  double aware_efficiency = 0;
  double search_efficiency = 0;
};

/// The ratios of the paper, of all edges together to all tasks together.
inline constexpr double paper_ratios[] = {0.1, 1, 5, 10};

/// Layered graphs of each size and of 1, 2, 5 and 10 parents a task, `seeds` of each. Both list
/// schedulers are the same but for the model: one plans on the delay model, one on `contention:`. What
/// happens is found on a machine that neither knows, whose processors have a channel for what they send, too
/// (`contention:channel=both`); each plan keeps its places and its order there. `machine` is what follows
/// `contention:`. The search is run where `with_search` says so. `begins` is called before each of the
/// contention_graphs() graphs, with the number of its tasks.
[[nodiscard]] std::vector<ContentionRow> contention_study(
    std::span<const std::size_t> sizes, std::size_t seeds, std::string_view machine, bool with_search,
    const std::function<void(std::size_t)>& begins = {});
[[nodiscard]] std::size_t contention_graphs(std::size_t sizes, std::size_t seeds);

/// A scheduler's line in the table of makespans on `contention:`, of graphs of 200 tasks, one for each of the
/// paper's ratios.
[[nodiscard]] std::string contention_line(std::string_view scheduler, std::string_view machine,
                                          NetworkMapping mapping);

}  // namespace takt::schedulers
