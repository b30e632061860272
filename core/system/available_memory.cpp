#include "core/system/available_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>

#include <unistd.h>

namespace takt {

namespace {

std::optional<std::uint64_t> number_in(const std::string& file) {
  std::uint64_t number = 0;
  if (std::ifstream(file) >> number) return number;
  // `max`: no limit.
  return std::nullopt;
}

std::optional<std::uint64_t> available_to_all() {
  std::ifstream lines("/proc/meminfo");
  std::string name;
  for (std::uint64_t kibibytes = 0; lines >> name >> kibibytes;) {
    if (name == "MemAvailable:") return 1024 * kibibytes;
    lines.ignore(80, '\n');
  }
  return std::nullopt;
}

std::optional<std::uint64_t> left_of_group() {
  std::ifstream lines("/proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("0::")) continue;
    // A group may have no memory limit; the groups that contain it count, too.
    std::optional<std::uint64_t> least;
    for (std::string group = line.substr(3);; group.resize(group.rfind('/'))) {
      const std::string folder = "/sys/fs/cgroup" + group;
      const auto most = number_in(folder + "/memory.max"), used = number_in(folder + "/memory.current");
      if (most && used) {
        const std::uint64_t left = *most - std::min(*most, *used);
        least = std::min(least.value_or(left), left);
      }
      if (group.find('/') == std::string::npos) return least;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Bytes> available_memory() {
  std::optional<std::uint64_t> least = available_to_all();
  if (const auto left = left_of_group()) least = std::min(least.value_or(*left), *left);
  if (!least) return std::nullopt;
  return Bytes{*least};
}

std::optional<Bytes> resident_memory() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  if (!(file >> all >> resident)) return std::nullopt;
  return Bytes{resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))};
}

}  // namespace takt
