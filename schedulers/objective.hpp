#pragma once
/// The objective of a schedule.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace takt::schedulers {

enum class Objective : std::uint8_t {
  /// A short makespan: one frame is finished early.
  makespan,
  /// A high frequency: many frames per second.
  frequency,
  /// The least latency of a frame among the schedules that sustain a required rate.
  latency,
  /// The fewest processors that sustain a required rate, then the least latency.
  processors,
};

/// Objectives that apply to a schedule alone, without a required rate.
inline constexpr std::array judged_objectives{Objective::makespan, Objective::frequency};
inline constexpr std::array all_objectives{Objective::frequency, Objective::makespan, Objective::latency,
                                           Objective::processors};

/// Returns whether the objective selects among the schedules that sustain a required rate.
[[nodiscard]] constexpr bool needs_rate(Objective objective) {
  return objective == Objective::latency || objective == Objective::processors;
}

[[nodiscard]] std::string_view name_of(Objective objective);
/// Throws ConfigError that lists the known names, nearest first.
[[nodiscard]] Objective find_objective(std::string_view name,
                                       std::span<const Objective> known = all_objectives);

}  // namespace takt::schedulers
