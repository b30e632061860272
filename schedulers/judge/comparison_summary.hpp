#pragma once
/// Summary of a comparison for each scheduler.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/judge/comparison.hpp"
#include "schedulers/objective.hpp"

namespace takt::schedulers {

/// Returns the value that one of judged_objectives minimises: the time of one frame (the makespan, of one
/// copy) or the period, in ticks.
[[nodiscard]] double cost(const Figures& figures, Objective objective);
/// Returns whether one schedule is better for the objective; equal values are not distinguished further.
[[nodiscard]] bool is_better(const Figures& a, const Figures& b, Objective objective);

/// One scheduler over all instances (a graph on a machine) of a comparison. Means are over its valid
/// schedules: if schedulers have different ones, the means are no ranking.
struct SchedulerSummary {
  std::string scheduler;
  /// Number of instances with a valid schedule, and without.
  std::size_t served = 0;
  std::size_t failed = 0;
  /// Number of instances in which no scheduler was better, by objective.
  std::array<std::size_t, judged_objectives.size()> best{};
  /// Arithmetic means, by objective, of the makespan or the period over the best of the instance.
  std::array<double, judged_objectives.size()> mean_excess{};
  /// Score of the thesis on frequency-oriented scheduling for LOIS (6.2): ten times the arithmetic mean of
  /// the frequency over the best of the instance.
  double score = 0;
  double mean_nsl = 0;
  double least_nsl = 0;
  double largest_nsl = 0;
  double mean_makespan_ratio = 0;
  double mean_ratio = 0;
  double mean_speed_up = 0;
  double mean_efficiency = 0;
  double mean_processors = 0;
  double mean_seconds = 0;
  double largest_seconds = 0;
};

/// Of two schedulers: number of instances with two valid schedules, first better or both equal.
struct Duel {
  std::size_t wins = 0;
  std::size_t ties = 0;
  std::size_t losses = 0;
};

struct ComparisonSummary {
  std::size_t instances = 0;
  std::vector<SchedulerSummary> schedulers;
  /// By objective, then by the first and by the second scheduler.
  std::array<std::vector<std::vector<Duel>>, judged_objectives.size()> duels;
};

/// O(rows * schedulers).
[[nodiscard]] ComparisonSummary summarise(const std::vector<ComparisonRow>& rows);

}  // namespace takt::schedulers
