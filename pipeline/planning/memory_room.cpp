#include "pipeline/planning/memory_room.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"

namespace takt::pipeline {

void check_memory_room(const RunPlan& plan, const std::vector<std::size_t>& ranks, Bytes free,
                       const std::string& host) {
  Bytes needed{0};
  std::vector<std::string> shares;
  for (const std::size_t rank : ranks) {
    needed.count += plan.memory_bytes[rank];
    shares.push_back(fmt::format("rank {}: {}", rank, to_string(Bytes{plan.memory_bytes[rank]})));
  }
  if (needed.count <= free.count) return;
  throw ConfigError(
      fmt::format("the frames in flight need {} of memory on host '{}' ({}), which has {} free: lower the "
                  "queues between ranks (deployment: {{depth: N}}), use smaller frames, or more hosts",
                  to_string(needed), host, fmt::join(shares, ", "), to_string(free)));
}

}  // namespace takt::pipeline
