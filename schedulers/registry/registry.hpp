#pragma once
/// The table of all schedulers. It stands above them: nothing that it lists includes it, and those that begin
/// with others' schedules are handed lists of functions made from the rows' traits.

#include <span>
#include <string_view>
#include <vector>

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Every scheduler, families together, in the order in which help shows them.
[[nodiscard]] std::span<const Scheduler> all_schedulers();

/// Throws ConfigError that lists the known names, nearest first, with those that the caller also takes.
[[nodiscard]] const Scheduler& find_scheduler(std::string_view name,
                                              std::vector<std::string_view> also_known = {});

/// `all`, a family, or names with commas between them. Throws ConfigError on an unknown name.
[[nodiscard]] std::vector<const Scheduler*> select_schedulers(std::string_view selection);

/// Who makes plans for the frequency where nobody is named.
[[nodiscard]] const Scheduler& default_scheduler();

/// What `optfo` and `exact_fo` begin with.
[[nodiscard]] const FrequencyStarts& frequency_starts();

/// What `exact_makespan` begins with.
[[nodiscard]] std::span<const MakespanStart> makespan_starts();

/// From whose schedules one is chosen at a required rate.
[[nodiscard]] const RateSchedulers& rate_schedulers();

}  // namespace takt::schedulers
