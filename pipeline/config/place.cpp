#include "pipeline/config/place.hpp"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace takt::pipeline {

std::string Place::to_string() const {
  std::vector<std::string> parts;
  if (rank) parts.push_back(fmt::format("rank {}", *rank));
  if (!host.empty()) parts.push_back(fmt::format("host {}", host));
  if (core) parts.push_back(fmt::format("core {}", *core));
  if (numa) parts.push_back(fmt::format("NUMA node {}", *numa));
  if (!type.empty()) parts.push_back(fmt::format("cores of type {}", type));
  if (is_at_interface) parts.emplace_back("NUMA node of its interface");
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace takt::pipeline
