#pragma once
/// Exact search over all schedules of one copy of a small graph.

#include <cstdint>
#include <optional>

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

/// Decides whether any schedule of one frame at a time (frame_class.hpp) has at most this period, within
/// `limit` steps.
[[nodiscard]] ScheduleAnswer find_any_schedule(const Workload& workload, Time period, std::uint64_t limit);

}  // namespace takt::schedulers
