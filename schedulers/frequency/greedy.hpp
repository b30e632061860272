#pragma once
/// `greedy`: the GreedyMethod, which balances every layer separately.
///
/// Source: the thesis on frequency-oriented scheduling for LOIS, sections 3.6 and 4.1.2. A layer with at
/// least P tasks: in descending order of work (ties by id), the first P tasks open groups 1..P and each of
/// the others joins the group with the smallest sum (the first of equals); the groups then go to the
/// processors in ascending order of their sums (ties by group). A layer with fewer tasks than processors: the
/// i-th in ascending order of work (ties by id) goes to processor i; by the text of the thesis the largest
/// one would go to processor 1, but only the ascending order agrees with its tables 6.5 and 6.16, and only
/// these rules for ties with table 6.23. Different speeds: processors in ascending order of speed (ties by
/// id). O(n log n + n log P + m log m).
///
/// The thesis has "one sending operation" without its content. Here a processor sends all data of a layer
/// that another one needs in one message; other interpretations are options of the timing.

#include <cstddef>
#include <vector>

#include "logp/timing.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the tasks of one layer in at most `count` groups, in ascending order of the groups' sums.
[[nodiscard]] std::vector<std::vector<TaskId>> level_out(const TaskGraph& graph, std::vector<TaskId> layer,
                                                         std::size_t count);

/// Returns the time that the busiest processor of the schedule computes, sends and receives, without gaps and
/// waiting: a lower bound of its period. Needs far less time and memory than the schedule, which has a
/// message for every pair of processors in every layer. O((n + m) log m).
[[nodiscard]] Time greedy_load(const TaskGraph& graph, const logp::Machine& machine);

[[nodiscard]] Schedule greedy(const TaskGraph& graph, const logp::Machine& machine, const Options& options);
/// With another interpretation of its messages.
[[nodiscard]] Schedule greedy_with_messages(const TaskGraph& graph, const logp::Machine& machine,
                                            const logp::LayerMessageOptions& messages);

}  // namespace takt::schedulers
