#pragma once
/// Exact search over all schedules of one instance, where messages occupy processors.

#include <cstdint>
#include <optional>

#include "core/schedule.hpp"
#include "schedulers/relay/lower_set_search.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

struct MessageAnswer {
  Verdict verdict = Verdict::unknown;
  /// A valid schedule whose period is at most the one asked for, if the verdict is yes.
  std::optional<Schedule> schedule;
};

/// Whether this search can serve: one instance, no more than five processors, and costs of messages that do
/// not fall with their size.
[[nodiscard]] bool can_search_messages(const Workload& workload);

/// Whether any schedule at all has at most this period: tasks on any processors, in any order, with any
/// messages between them. A message carries any data; a datum goes straight to where it is needed or by way
/// of other processors, also such without tasks; sends and receives stand anywhere in their processors'
/// orders, and processors may wait for each other in turn.
///
/// Branch and bound in three steps: assignments (assignment_search.hpp); for each, the trees in which the
/// data travel (delivery_trees.hpp) and the sharing out of these transfers to messages, as long as every
/// processor is busy, and its sends and its receives a gap apart, within the period; for each, the orders
/// (disjunctive_search.hpp), by sets of processors that wait for each other in turn. To send a datum twice to
/// a processor only costs more. Where costs do not depend on the size and no processor waits for itself in
/// turn, so do two messages over one link.
///
/// The network's capacity of ceil(L / g) messages is left out of the search and looked at in what it finds,
/// so a `no` holds with it; where it is all that forbids a schedule the answer is unknown. Lowers `budget` by
/// what was looked at; unknown when that is used up. Exponential: for some ten tasks.
[[nodiscard]] MessageAnswer find_schedule(const Workload& workload, Time period, std::uint64_t& budget);

}  // namespace takt::schedulers
