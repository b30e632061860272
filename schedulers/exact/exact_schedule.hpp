#pragma once
/// Exact search over all schedules of one copy of a small graph.

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/schedule.hpp"
#include "schedulers/relay/lower_set_search.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

struct ScheduleAnswer {
  Verdict verdict = Verdict::unknown;
  /// A valid schedule with at most the requested period, if the verdict is yes.
  std::optional<Schedule> schedule;
  /// Number of examined partial schedules, messages and orders.
  std::uint64_t steps = 0;
};

/// Returns whether graph and machine are small enough: for messages that occupy no processor
/// (exact_packings.hpp, exact_sequences.hpp), or for those that do (exact_messages.hpp).
[[nodiscard]] bool can_search_schedules(const Workload& workload);

/// Name of the searched class: a processor ends a frame before it begins the next one. Overlapping frames may
/// have a smaller period (docs/decisions/0112-bounds-name-their-class.md).
inline constexpr std::string_view one_frame_at_a_time = "schedules of one frame at a time";

/// Decides whether any such schedule has at most this period, within `limit` steps.
[[nodiscard]] ScheduleAnswer find_any_schedule(const Workload& workload, Time period, std::uint64_t limit);

}  // namespace takt::schedulers
