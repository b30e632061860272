#include "core/system/processor_limit.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace takt {

namespace fs = std::filesystem;

namespace {

std::optional<double> limit_of(const fs::path& folder, bool is_version_2) {
  double quota = 0, period = 0;
  if (is_version_2)
    // `max`: no limit.
    std::ifstream(folder / "cpu.max") >> quota >> period;
  else if (std::ifstream(folder / "cpu.cfs_quota_us") >> quota)
    std::ifstream(folder / "cpu.cfs_period_us") >> period;
  // -1 without a limit.
  return quota > 0 && period > 0 ? std::optional(quota / period) : std::nullopt;
}

}  // namespace

std::optional<double> processor_limit(const fs::path& groups, const fs::path& mount) {
  std::optional<double> least;
  std::ifstream lines(groups);
  // NUMBER:CONTROLLERS:/GROUP
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_version_2 = controllers.empty();
    if (!is_version_2 && ("," + controllers + ",").find(",cpu,") == std::string::npos) continue;
    for (std::string group = line.substr(second + 1);; group.resize(group.rfind('/'))) {
      const auto limit = limit_of((is_version_2 ? mount : mount / "cpu").string() + group, is_version_2);
      if (limit) least = std::min(least.value_or(*limit), *limit);
      if (group.find('/') == std::string::npos) break;
    }
  }
  return least;
}

}  // namespace takt
