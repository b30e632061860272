#pragma once
/// Exact search over the ways to pack all tasks into periods, where messages occupy nobody.

#include <cstdint>
#include <optional>

#include "logp/timing.hpp"
#include "schedulers/relay/lower_set_search.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

struct PackingAnswer {
  Verdict verdict = Verdict::unknown;
  /// An allocation whose smallest period is at most the one asked for, if the verdict is yes.
  std::optional<logp::Allocation> allocation;
};

/// Whether this search can serve: what can_search_sequences (exact_sequences.hpp) asks for, at most 32 tasks,
/// and processors and links that are all alike.
[[nodiscard]] bool can_search_packings(const Workload& workload);

/// Whether any schedule at all has at most this period.
///
/// Where the period leaves little to spare, few sets of tasks fill a processor, and fewer still can be
/// combined: exact cover, the longest task that is left with all sets that fill its processor far enough for
/// the rest to fit into the others. A set is left out where a task elsewhere that comes between its tasks
/// makes the processor wait for too long. Wherever processors wait for each other in turn, orders are looked
/// for (disjunctive_search.hpp), with the tasks that have no processor yet as if each had its own: where that
/// is impossible, so is every schedule with these sets.
///
/// Lowers `budget` by a unit for each tenth of a microsecond, about; unknown when it is used up. Exponential:
/// for some twenty tasks that leave little slack.
[[nodiscard]] PackingAnswer find_packing(const Workload& workload, Time period, std::uint64_t& budget);

}  // namespace takt::schedulers
