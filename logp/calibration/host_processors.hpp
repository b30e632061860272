#pragma once
/// The processors of a host and their NUMA nodes.

#include <cstddef>
#include <string>
#include <vector>

namespace takt::logp {

struct HostProcessor {
  /// Numbers of the system: of the processor, and of the NUMA node with the memory next to it.
  std::size_t number = 0, numa = 0;
  /// Type of its core (core_type_of); empty if all are of one type.
  std::string type = {};
  friend bool operator==(const HostProcessor&, const HostProcessor&) = default;
};

/// Returns the processors of this host that the calling thread may use, ascending.
[[nodiscard]] std::vector<HostProcessor> host_processors();
/// Returns all processors of a host that hwloc makes up: `numa:2 core:4 pu:1`. Throws ConfigError if hwloc
/// does not accept the description.
[[nodiscard]] std::vector<HostProcessor> synthetic_processors(const std::string& description);

/// Binds memory to a NUMA node: pages that only this process uses move there. Returns an empty text, or the
/// system's reason for a refusal.
[[nodiscard]] std::string bind_memory(void* begin, std::size_t bytes, std::size_t numa);

/// From now on, memory that the calling thread, or a thread that it starts later, touches first lies on this
/// NUMA node while it has room. Returns an empty text, or the system's reason for a refusal.
[[nodiscard]] std::string prefer_memory(std::size_t numa);

/// Returns the NUMA node of the pages of this memory, which must have been written; nothing if unknown.
[[nodiscard]] std::vector<std::size_t> nodes_of_memory(const void* begin, std::size_t bytes);

}  // namespace takt::logp
