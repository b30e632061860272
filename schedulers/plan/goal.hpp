#pragma once
/// The goal of a plan.

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

/// Special scheduler name: the best of all schedulers.
inline constexpr std::string_view automatic = "auto";

/// All inputs of a plan besides graph and machine,
/// from a pipeline's file or the command line.
struct Goal {
  Objective objective = Objective::frequency;
  /// A scheduler of the registry, or `auto`, the best of all of them. Empty: the default for the objective:
  /// `optfo` for the frequency, `auto` for the makespan, and for the least latency or the fewest processors a
  /// choice among many, where no name is allowed.
  std::string scheduler = {};
  /// The required rate.
  std::optional<RequiredRate> rate = {};
  /// Factor by which a schedule must exceed the required rate: measured costs vary, and a stage that is
  /// always busy has a queue in front of it. 1 for exact costs.
  double margin = 1;
  /// The longest allowed latency of a frame, in ticks, together with a required rate.
  std::optional<Time> latency_limit = {};
  /// Seed, effort, trace.
  Options options = {};
  /// The effort of each scheduler and search for a required rate, where many are run; empty: that of the
  /// options.
  std::optional<std::uint64_t> choice_effort = {};
  /// Time between frames from the source, in ticks; empty: the source always has a frame ready.
  std::optional<double> frame_interval = {};
  /// Number of cores that the processors of a node share; empty: each has its own.
  std::optional<std::size_t> cores_per_node = {};
  /// Limit for each scheduler that `auto` tries.
  std::optional<std::chrono::duration<double>> time_limit = {};
  /// The same for the scheduler that `scheduler` names, or the default.
  std::optional<std::chrono::duration<double>> own_time_limit = {};

  /// Returns the rate times the margin, which a schedule must sustain.
  [[nodiscard]] std::optional<RequiredRate> rate_with_margin() const;
};

/// Throws ConfigError on inconsistent parts: an objective that needs a rate without one, or together with a
/// scheduler's name; an unknown scheduler.
void check(const Goal& goal);

}  // namespace takt::schedulers
