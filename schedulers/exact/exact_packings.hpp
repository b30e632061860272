#pragma once
/// Exact search over the packings of all tasks into periods, for messages that occupy no processor.

#include <cstdint>
#include <optional>

#include "logp/timing.hpp"
#include "schedulers/relay/lower_set_search.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

struct PackingAnswer {
  Verdict verdict = Verdict::unknown;
  /// An allocation whose smallest period is at most the requested one, if the verdict is yes.
  std::optional<logp::Allocation> allocation;
};

/// Returns whether this search supports the workload: the conditions of can_search_sequences
/// (exact_sequences.hpp), at most 32 tasks, and equal processors and links.
[[nodiscard]] bool can_search_packings(const Workload& workload);

/// Decides whether any schedule has at most this period.
///
/// If the period leaves little slack, few sets of tasks fill a processor, and even fewer can be combined:
/// exact cover, which combines the longest remaining task with all sets that leave no more than the other
/// processors can do. A set is excluded if a task elsewhere between its tasks makes the processor wait for
/// too long. For processors that wait for each other in a cycle, the search looks for orders
/// (disjunctive_search.hpp), with each unassigned task on a processor of its own: if that is impossible, so
/// is every schedule with these sets.
///
/// Lowers `budget` by about one unit per tenth of a microsecond; unknown when it is spent. Exponential: for
/// some twenty tasks that leave little slack.
[[nodiscard]] PackingAnswer find_packing(const Workload& workload, Time period, std::uint64_t& budget);

}  // namespace takt::schedulers
