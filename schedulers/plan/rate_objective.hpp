#pragma once
/// A required frequency with the least latency, or on the fewest processors.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "schedulers/objective.hpp"
#include "schedulers/plan/required_rate.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

struct RateSchedule {
  /// The requested schedule, or the one with the highest frequency if the required one is not reached.
  Schedule schedule;
  bool is_held = true;
  /// For the fewest processors: no schedule on fewer ones can sustain the frequency.
  bool is_proven = false;
  /// If that schedule has several frames per iteration: the best of those with one frame that sustain the
  /// frequency.
  std::optional<Schedule> of_one_frame = {};
};

/// Returns a schedule for an objective that needs a rate. Chooses from the portfolio (portfolio.hpp) on 1,
/// 2, ... processors, the fastest ones first, and searches for less latency from its members
/// (latency_search.hpp); for a graph without state, also on groups of processors that alternate between
/// frames. Numbers of processors are 1 to 16 and then doubling ones. With different processors or links,
/// some other selections of processors are tried (processor_selections.hpp) if these do not sustain the
/// frequency, or others might on fewer processors. Options::effort is the effort of each scheduler and
/// search.
///
/// With a source of one frame every `frame_interval` ticks, the latency of a schedule with several frames
/// per iteration is the one for that interval (paced_latency.hpp). Ties: fewer frames, then the faster one.
///
/// Schedules within `latency_limit` come first; if none is, the one of least latency.
[[nodiscard]] RateSchedule schedule_for_rate(Objective objective, const RequiredRate& rate,
                                             const TaskGraph& graph, const logp::Machine& machine,
                                             const RateSchedulers& schedulers, const Options& options = {},
                                             std::optional<double> frame_interval = {},
                                             std::optional<Time> latency_limit = {});

/// Returns the numbers of processors to try: all up to 16, then doubling ones, and the total.
[[nodiscard]] std::vector<std::size_t> numbers_of_processors(const logp::Machine& machine);

/// Returns the fewest processors for which no bound excludes the frequency, whichever they are; nothing if
/// every number is excluded.
[[nodiscard]] std::optional<std::size_t> fewest_processors(const TaskGraph& graph,
                                                           const logp::Machine& machine,
                                                           const RequiredRate& rate);

/// Returns the default number of timetables that the latency search tries on a graph.
[[nodiscard]] std::uint64_t latency_effort(const TaskGraph& graph, const Options& options);

}  // namespace takt::schedulers
