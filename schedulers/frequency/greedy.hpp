#pragma once
/// `greedy`: the GreedyMethod, which levels out every layer for itself.
///
/// Source: the thesis on frequency-oriented scheduling for LOIS, sections 3.6 and 4.1.2. A layer with at
/// least P tasks: in descending order of work (ties by id), the first P open groups 1..P and each of the
/// others joins the group with the smallest sum (the first of equals); the groups then go to the processors
/// in ascending order of their sums (ties by group). A layer with fewer tasks than processors: the i-th in
/// ascending order of work (ties by id) goes to processor i; the prose of the thesis would give the largest
/// one to processor 1, but only the ascending order agrees with its tables 6.5 and 6.16, and only these rules
/// for ties with table 6.23. With different speeds, processors count in ascending order of speed (ties by
/// id). O(n log n + n log P + m log m).
///
/// The thesis has "one sending operation" without saying of what. Here a processor sends each other one all
/// the data of a layer that it needs in one message; other readings are options of the timing.

#include <cstddef>
#include <vector>

#include "logp/timing.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// The tasks of one layer in at most `count` groups, in ascending order of the groups' sums, as above.
[[nodiscard]] std::vector<std::vector<TaskId>> level_out(const TaskGraph& graph, std::vector<TaskId> layer,
                                                         std::size_t count);

/// How long the busiest processor of its schedule computes, sends and receives, gaps and waiting apart, so
/// that its period is no less. Needs far less time and memory than the schedule, which has a message for
/// every pair of processors in every layer. O((n + m) log m).
[[nodiscard]] Time greedy_load(const TaskGraph& graph, const logp::Machine& machine);

[[nodiscard]] Schedule greedy(const TaskGraph& graph, const logp::Machine& machine, const Options& options);
/// With another reading of its messages.
[[nodiscard]] Schedule greedy_with_messages(const TaskGraph& graph, const logp::Machine& machine,
                                            const logp::LayerMessageOptions& messages);

}  // namespace takt::schedulers
