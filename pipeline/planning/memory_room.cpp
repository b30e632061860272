#include "pipeline/planning/memory_room.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"

namespace takt::pipeline {

namespace {

std::optional<std::uint64_t> number_in(const std::string& file) {
  std::uint64_t number = 0;
  if (std::ifstream(file) >> number) return number;
  // `max`: no limit.
  return std::nullopt;
}

std::optional<std::uint64_t> available() {
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
    // A group need not say anything of memory; those that it is in count, too.
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

std::optional<Bytes> free_memory() {
  std::optional<std::uint64_t> least = available();
  if (const auto left = left_of_group()) least = std::min(least.value_or(*left), *left);
  if (!least) return std::nullopt;
  return Bytes{*least};
}

void check_memory_room(const RunPlan& plan, const std::vector<std::size_t>& ranks, Bytes free,
                       const std::string& host) {
  Bytes needed{0};
  std::vector<std::string> shares;
  for (const std::size_t rank : ranks) {
    needed.count += plan.memory_bytes[rank];
    shares.push_back(fmt::format("rank {}: {}", rank, to_string(Bytes{plan.memory_bytes[rank]})));
  }
  if (needed.count <= free.count) return;
  throw ConfigError(fmt::format(
      "the frames on their way need {} of memory on host '{}' ({}), where {} are free: let fewer wait "
      "between two ranks (deployment: {{depth: N}}), make frames smaller, or use more hosts",
      to_string(needed), host, fmt::join(shares, ", "), to_string(free)));
}

}  // namespace takt::pipeline
