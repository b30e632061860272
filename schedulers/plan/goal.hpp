#pragma once
/// What a plan is made for.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schedulers/objective.hpp"
#include "schedulers/plan/required_rate.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// In the place of a scheduler's name: the best of all of them.
inline constexpr std::string_view automatic = "auto";

/// Everything that a plan depends on besides graph and machine, wherever it was written: in a pipeline's file
/// or on the command line.
struct Goal {
  Objective objective = Objective::frequency;
  /// Who makes the schedule: a scheduler of the registry, or `auto`, the best of all of them. Empty means
  /// who is made for the objective: `optfo` for the frequency, `auto` for the makespan, and for the least
  /// latency or the fewest processors a choice among many, where none may be named.
  std::string scheduler = {};
  /// The rate that must be held.
  std::optional<RequiredRate> rate = {};
  /// How many times the required rate a schedule must reach to hold it: measured costs vary, and a stage that
  /// is always busy has a queue in front of it. 1 where costs are exact.
  double margin = 1;
  /// Seed, effort, trace.
  Options options = {};
  /// The effort of each scheduler and search where a rate has to be held and many are asked; nothing: that of
  /// the options.
  std::optional<std::uint64_t> choice_effort = {};
  /// Time between frames that the source gives, in ticks; nothing: they are there as soon as they are taken.
  std::optional<double> frame_interval = {};
  /// How many cores the processors of a node share; nothing means that each has its own.
  std::optional<std::size_t> cores_a_node = {};
  /// Of `auto`, for each scheduler that it tries.
  std::optional<std::chrono::duration<double>> time_limit = {};

  /// The rate with the margin: what a schedule must hold.
  [[nodiscard]] std::optional<RequiredRate> rate_with_margin() const;
};

/// Throws ConfigError when its parts do not go together: an objective that needs a rate without one, or with
/// a scheduler's name beside it; an unknown scheduler.
void check(const Goal& goal);

}  // namespace takt::schedulers
