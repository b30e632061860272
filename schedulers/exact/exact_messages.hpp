#pragma once
/// Exact search over all schedules of one instance, for messages that occupy processors.

#include <cstdint>
#include <optional>

#include "core/schedule.hpp"
#include "schedulers/relay/lower_set_search.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

struct MessageAnswer {
  Verdict verdict = Verdict::unknown;
  /// A valid schedule with at most the requested period, if the verdict is yes.
  std::optional<Schedule> schedule;
};

/// Returns whether this search supports the workload: one instance, at most five processors, and message
/// costs that do not fall with their size.
[[nodiscard]] bool can_search_messages(const Workload& workload);

/// Decides whether any schedule has at most this period: tasks on any processors, in any order, with any
/// messages between them. A message carries any data. A datum goes directly to its consumers or over other
/// processors, also such without tasks. Sends and receives may be anywhere in their processors' orders, and
/// processors may wait for each other in cycles.
///
/// Branch and bound in three steps. First, assignments (assignment_search.hpp). For each, the trees of
/// transfers of the data (delivery_trees.hpp) and the distribution of these transfers over messages, as long
/// as every processor is busy within the period, and so are its sends and its receives a gap apart. For each,
/// the orders (disjunctive_search.hpp), by sets of processors that wait for each other in cycles. Sending a
/// datum twice to a processor only costs more. With constant costs, so do two messages over one link outside
/// of such cycles.
///
/// The search ignores the network's capacity of ceil(L / g) messages and checks it in the schedules found. So
/// a `no` holds with capacity; if only capacity forbids a schedule the answer is unknown. Subtracts the
/// examined steps from `budget`; unknown when it is spent. Exponential: for about ten tasks.
[[nodiscard]] MessageAnswer find_schedule(const Workload& workload, Time period, std::uint64_t& budget);

}  // namespace takt::schedulers
