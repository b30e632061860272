#pragma once
/// What the rows of a comparison say about each scheduler.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/judge/comparison.hpp"
#include "schedulers/objective.hpp"

namespace takt::schedulers {

/// What one of judged_objectives wants to be small: the time of one frame (the makespan, of one copy) or the
/// period, in ticks.
[[nodiscard]] double cost(const Figures& figures, Objective objective);
/// Whether one schedule serves the objective better than another one. Equal ones are told apart by nothing.
[[nodiscard]] bool is_better(const Figures& a, const Figures& b, Objective objective);

/// One scheduler over all instances (a graph on a machine) of a comparison. The means are over those that it
/// served with a valid schedule: where schedulers serve different ones, they are no ranking.
struct SchedulerSummary {
  std::string scheduler;
  /// Instances with a valid schedule, and those without.
  std::size_t served = 0;
  std::size_t failed = 0;
  /// Instances in which no scheduler was better, by objective.
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

/// Of two schedulers, in how many instances that both served the first one was better, or they were equal.
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
