#include "schedulers/plan/goal.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {

std::optional<RequiredRate> Goal::rate_with_margin() const {
  if (!rate) return std::nullopt;
  return RequiredRate{rate->period / margin};
}

void check(const Goal& goal) {
  if (!goal.scheduler.empty() && goal.scheduler != automatic)
    (void)find_scheduler(goal.scheduler, {automatic});
  if (!needs_rate(goal.objective)) return;
  const std::string_view name = name_of(goal.objective);
  if (!goal.scheduler.empty() || goal.options.trace != nullptr)
    throw ConfigError(
        fmt::format("objective '{}' chooses from many schedulers: expected no named scheduler{}", name,
                    goal.options.trace != nullptr ? "and no trace" : ""));
  if (!goal.rate)
    throw ConfigError(fmt::format("objective '{}' needs the required rate, such as 50 Hz", name));
}

}  // namespace takt::schedulers
