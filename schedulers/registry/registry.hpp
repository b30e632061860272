#pragma once
/// The table of all schedulers. No scheduler includes it: those that start from others' schedules receive
/// lists of functions that the registry builds from the rows' traits.

#include <span>
#include <string_view>
#include <vector>

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns every scheduler, families together, in the order of the help.
[[nodiscard]] std::span<const Scheduler> all_schedulers();

/// Throws ConfigError that lists the known names, nearest first, with the additional ones of the caller.
[[nodiscard]] const Scheduler& find_scheduler(std::string_view name,
                                              std::vector<std::string_view> also_known = {});

/// Selects `all`, a family, or comma-separated names. Throws ConfigError on an unknown name.
[[nodiscard]] std::vector<const Scheduler*> select_schedulers(std::string_view selection);

/// Returns the scheduler of plans for the frequency that name none.
[[nodiscard]] const Scheduler& default_scheduler();

/// Returns the starts of `optfo` and `exact_fo`.
[[nodiscard]] const FrequencyStarts& frequency_starts();

/// Returns the starts of `exact_makespan`.
[[nodiscard]] std::span<const MakespanStart> makespan_starts();

/// Returns the schedulers that provide candidates for a required rate.
[[nodiscard]] const RateSchedulers& rate_schedulers();

}  // namespace takt::schedulers
