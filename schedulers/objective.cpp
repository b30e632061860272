#include "schedulers/objective.hpp"

#include <vector>

#include "core/error.hpp"

namespace takt::schedulers {

std::string_view name_of(Objective objective) {
  switch (objective) {
    case Objective::makespan:
      return "makespan";
    case Objective::frequency:
      return "frequency";
    case Objective::latency:
      return "latency";
    case Objective::processors:
      return "processors";
  }
  return "";
}

Objective find_objective(std::string_view name, std::span<const Objective> known) {
  std::vector<std::string_view> names;
  for (const Objective objective : known) {
    if (name == name_of(objective)) return objective;
    names.push_back(name_of(objective));
  }
  throw ConfigError(unknown_name("objective", name, std::move(names)));
}

}  // namespace takt::schedulers
