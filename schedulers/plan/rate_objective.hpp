#pragma once
/// A frequency held with the least latency, or on the fewest processors.

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
  /// The schedule asked for, or, where the frequency is not held, the one with the highest frequency.
  Schedule schedule;
  bool is_held = true;
  /// For the fewest processors: no schedule on fewer ones can hold the frequency.
  bool is_proven = false;
  /// Where that one holds the frequency with several frames in a repetition: the best by the objective of
  /// those that hold it with one.
  std::optional<Schedule> of_one_frame = {};
};

/// For an objective that needs a rate. Chooses from the portfolio (portfolio.hpp) on 1, 2, ... processors,
/// the fastest ones first, and searches on from its members for less latency (latency_search.hpp); for a
/// graph without state, also on groups of processors that take frames in turn. On 1, 2, ..., 16 processors
/// and then on ever more, doubling. Where processors or links differ and these do not hold the frequency, or
/// others might on fewer processors, some other selections of processors are tried
/// (processor_selections.hpp). Options::effort is the effort of each scheduler and search.
///
/// Where the source gives a frame every `frame_interval` ticks, the latency of a schedule with several frames
/// in a repetition is the one at that pace (paced_latency.hpp). Equally good are those with fewer of them,
/// and then the faster one is taken.
[[nodiscard]] RateSchedule schedule_for_rate(Objective objective, const RequiredRate& rate,
                                             const TaskGraph& graph, const logp::Machine& machine,
                                             const RateSchedulers& schedulers, const Options& options = {},
                                             std::optional<double> frame_interval = {});

/// The numbers of processors that are tried: all up to 16, then by doubling, and all there are.
[[nodiscard]] std::vector<std::size_t> numbers_of_processors(const logp::Machine& machine);

/// The fewest processors for which no bound says that they cannot hold the frequency, whichever they are;
/// nothing when no number of them can.
[[nodiscard]] std::optional<std::size_t> fewest_processors(const TaskGraph& graph,
                                                           const logp::Machine& machine,
                                                           const RequiredRate& rate);

/// Timetables that the latency search tries on a graph by default.
[[nodiscard]] std::uint64_t latency_effort(const TaskGraph& graph, const Options& options);

}  // namespace takt::schedulers
