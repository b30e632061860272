#pragma once
/// The time-cost trade-off: how long the critical path is, and how much work is done, when each task may take
/// any time between those of its numbers of processors.
///
/// A task's cost (work) is convex and piecewise linear in its duration, so the least work for a critical path
/// of length C is a linear program whose dual is a circulation (convex_circulation.hpp); its flow F is by how
/// much the work falls when C grows. The critical path C and the work per processor W(C) / m are both lower
/// bounds of the makespan, and where they meet is the best bound. Newton's step C <- (W + F C) / (m + F)
/// finds it from the left in a few circulations, each of which begins with the last one's.
///
/// Sources: Skutella, "Approximation algorithms for the discrete time-cost tradeoff problem" (1998); Lepere,
/// Trystram, Woeginger (2001); Dutot et al. (2009), section 4.1.1, where a series of linear programs takes
/// 4,759 s for 100 tasks with 216 numbers of processors.

#include <cstdint>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "schedulers/moldable/allotment.hpp"

namespace takt::schedulers {

/// What a task costs between its numbers of processors.
enum class TradeOffCost : std::uint8_t {
  /// As the paper has it: number i < k is an activity of its own, which runs from T(p_i) down to T(p_k) and
  /// costs in proportion p_(i+1) T(p_(i+1)) - p_i T(p_i). The task takes as long as the longest of them.
  activities,
  /// The greatest convex function below all points (T(p_i), p_i T(p_i)): the highest bound of this kind.
  hull,
};

struct TradeOff {
  /// The critical path at speed 1, the tasks' durations, and their work; in ticks.
  double length = 0;
  double work = 0;
  std::vector<double> durations;
  /// No schedule on so many processors of speed 1 is shorter: the larger of length and work over processors.
  /// Rounding of the numbers inside only lowers it.
  double bound = 0;
  /// Circulations that were solved, and pivots they took.
  unsigned solves = 0;
  std::uint64_t pivots = 0;
};

/// The best trade-off on `processors` processors. At the ends the work over the processors is larger though
/// every task takes its longest time, or the critical path is though it is the shortest one. Takes O(n log k)
/// for each pivot at worst, k the numbers of processors; memory O(n k).
[[nodiscard]] TradeOff best_trade_off(const TaskGraph& graph, const AllowedNumbers& allowed,
                                      std::size_t processors, TradeOffCost cost);

/// The least work for a critical path of a given length, of the same durations; the length is raised to the
/// shortest possible one.
[[nodiscard]] TradeOff least_work(const TaskGraph& graph, const AllowedNumbers& allowed, double length,
                                  TradeOffCost cost);

/// Durations rounded to numbers of processors: the critical path becomes 1 / (1 - mu) times as long at most,
/// the work 1 / mu times as much. Durations are those of the same cost.
[[nodiscard]] Allotment round_trade_off(const TaskGraph& graph, const AllowedNumbers& allowed,
                                        const TradeOff& trade_off, double mu, TradeOffCost cost);

}  // namespace takt::schedulers
