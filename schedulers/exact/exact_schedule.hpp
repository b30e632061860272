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
  /// A valid schedule whose period is at most the one asked for, if the verdict is yes.
  std::optional<Schedule> schedule;
  /// How many partial schedules, messages and orders were looked at.
  std::uint64_t steps = 0;
};

/// Whether graph and machine are small enough: where messages occupy nobody (exact_packings.hpp,
/// exact_sequences.hpp), or where they do (exact_messages.hpp).
[[nodiscard]] bool can_search_schedules(const Workload& workload);

/// What is searched, in words: a processor ends a frame before it begins the next one. Several frames side by
/// side may have a smaller period (docs/decisions/0112-bounds-name-their-class.md).
inline constexpr std::string_view one_frame_at_a_time = "schedules of one frame at a time";

/// Whether any such schedule has at most this period, if that can be told within `limit` steps.
[[nodiscard]] ScheduleAnswer find_any_schedule(const Workload& workload, Time period, std::uint64_t limit);

}  // namespace takt::schedulers
