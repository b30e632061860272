#include "pipeline/tasking/core_types.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <string>

namespace takt::tasking {

namespace {

/// 0 where the file is not there.
double number_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  double value = 0;
  return stream >> value ? value : 0;
}

}  // namespace

std::vector<int> core_types_of(std::span<const int> cores, const std::filesystem::path& folder) {
  std::vector<double> speeds;
  for (const char* const figure : {"cpu_capacity", "cpufreq/cpuinfo_max_freq"}) {
    speeds.clear();
    for (const int core : cores)
      speeds.push_back(number_in(folder / ("cpu" + std::to_string(core)) / figure));
    if (std::ranges::find(speeds, 0.0) == speeds.end()) break;
  }
  std::vector<int> types(cores.size());
  if (std::ranges::find(speeds, 0.0) != speeds.end()) return types;
  std::vector<double> descending = speeds;
  std::ranges::sort(descending, std::greater<>());
  // Turbo frequencies of alike processors differ a little.
  constexpr double alike = 0.9;
  std::vector<double> fastest;
  for (const double speed : descending)
    if (fastest.empty() || speed < alike * fastest.back()) fastest.push_back(speed);
  for (std::size_t i = 0; i < cores.size(); ++i)
    while (static_cast<std::size_t>(types[i]) + 1 < fastest.size() &&
           speeds[i] <= fastest[static_cast<std::size_t>(types[i]) + 1])
      ++types[i];
  return types;
}

}  // namespace takt::tasking
