#pragma once
/// Exact search over all schedules of one copy of a small graph.

#include <cstdint>
#include <optional>

#include "core/schedule.hpp"
#include "schedulers/relay/downset_search.hpp"
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

/// Whether any schedule has at most this period, if that can be told within `limit` steps.
[[nodiscard]] ScheduleAnswer find_any_schedule(const Workload& workload, Time period, std::uint64_t limit);

}  // namespace takt::schedulers
