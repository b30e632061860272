#include "cli/plan.hpp"
#include "core/error.hpp"
namespace takt::cli {
int plan_streams(const PlanArguments&) {
  throw ConfigError("x");
}
}  // namespace takt::cli
