#pragma once
/// The table of all schedulers.

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

}  // namespace takt::schedulers
