#pragma once
/// The time-cost trade-off between critical path and work, where each task may take any duration between
/// those of its numbers of processors.
///
/// A task's cost (work) is convex and piecewise linear in its duration, so the least work for a critical path
/// of length C is a linear program whose dual is a circulation (convex_circulation.hpp); its flow F is the
/// decrease of the work per unit of C. The critical path C and the work per processor W(C) / m are both lower
/// bounds of the makespan, and their intersection is the best bound. Newton's step C <- (W + F C) / (m + F)
/// finds it from the left in a few circulations, each of which starts from the last result.
///
/// Sources: Skutella, "Approximation algorithms for the discrete time-cost tradeoff problem" (1998); Lepere,
/// Trystram, Woeginger (2001); Dutot et al. (2009), section 4.1.1, where a series of linear programs takes
/// 4,759 s for 100 tasks with 216 numbers of processors.

#include <cstdint>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "schedulers/moldable/allotment.hpp"

namespace takt::schedulers {

/// Cost of a task between its numbers of processors.
enum class TradeOffCost : std::uint8_t {
  /// As in the paper: number i < k is a separate activity with durations from T(p_i) down to T(p_k) and a
  /// proportional cost p_(i+1) T(p_(i+1)) - p_i T(p_i). The task takes as long as the longest of them.
  activities,
  /// The greatest convex function below all points (T(p_i), p_i T(p_i)): the highest bound of this kind.
  hull,
};

struct TradeOff {
  /// The critical path at speed 1, the tasks' durations, and their work; in ticks.
  double length = 0;
  double work = 0;
  std::vector<double> durations;
  /// No schedule on `processors` processors of speed 1 is shorter: the larger of length and work over
  /// processors. Internal rounding only lowers it.
  double bound = 0;
  /// Number of solved circulations, and of their pivots.
  unsigned solves = 0;
  std::uint64_t pivots = 0;
};

/// Returns the best trade-off on `processors` processors. At the ends of the range, the work over the
/// processors is larger with the longest durations, or the critical path with the shortest ones. O(n log k)
/// for each pivot in the worst case, k the numbers of processors; memory O(n k).
[[nodiscard]] TradeOff best_trade_off(const TaskGraph& graph, const AllowedNumbers& allowed,
                                      std::size_t processors, TradeOffCost cost);

/// Returns the least work for a critical path of a given length, with the same durations; the length is
/// raised to the shortest possible one.
[[nodiscard]] TradeOff least_work(const TaskGraph& graph, const AllowedNumbers& allowed, double length,
                                  TradeOffCost cost);

/// Rounds durations to numbers of processors: the critical path becomes at most 1 / (1 - mu) times as long,
/// the work at most 1 / mu times as much. The durations must be of the same cost.
[[nodiscard]] Allotment round_trade_off(const TaskGraph& graph, const AllowedNumbers& allowed,
                                        const TradeOff& trade_off, double mu, TradeOffCost cost);

}  // namespace takt::schedulers
