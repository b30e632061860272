#include "logp/calibration/host_processors.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <hwloc.h>

#include "core/error.hpp"
#include "logp/calibration/core_type.hpp"
#include "logp/calibration/hwloc_owners.hpp"

namespace takt::logp {

namespace {

Topology load_host(const std::string& synthetic) {
  hwloc_topology_t topology = nullptr;
  hwloc_topology_init(&topology);
  Topology owner(topology);
  if (!synthetic.empty() && hwloc_topology_set_synthetic(topology, synthetic.c_str()) != 0)
    throw ConfigError(
        fmt::format("'{}' is not a description of a host: expected for example "
                    "'numa:2 core:4 pu:1'",
                    synthetic));
  hwloc_topology_load(topology);
  return owner;
}

std::vector<HostProcessor> processors_in(hwloc_topology_t topology, hwloc_const_bitmap_t allowed) {
  std::vector<HostProcessor> processors;
  const Bitmap nodes(hwloc_bitmap_alloc());
  for (hwloc_obj_t unit = nullptr;
       (unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit)) != nullptr;) {
    if (hwloc_bitmap_isset(allowed, unit->os_index) == 0) continue;
    hwloc_cpuset_to_nodeset(topology, unit->cpuset, nodes.get());
    processors.push_back({unit->os_index,
                          static_cast<std::size_t>(std::max(hwloc_bitmap_first(nodes.get()), 0)),
                          core_type_of(topology, unit->cpuset)});
  }
  std::ranges::sort(processors, {}, &HostProcessor::number);
  return processors;
}

}  // namespace

std::vector<HostProcessor> host_processors() {
  const Topology topology = load_host("");
  const Bitmap allowed(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(topology.get(), allowed.get(), HWLOC_CPUBIND_THREAD) != 0)
    hwloc_bitmap_copy(allowed.get(), hwloc_topology_get_allowed_cpuset(topology.get()));
  return processors_in(topology.get(), allowed.get());
}

std::vector<HostProcessor> synthetic_processors(const std::string& description) {
  const Topology topology = load_host(description);
  return processors_in(topology.get(), hwloc_topology_get_topology_cpuset(topology.get()));
}

std::string bind_memory(void* begin, std::size_t bytes, std::size_t numa) {
  static const Topology topology = load_host("");
  const Bitmap node(hwloc_bitmap_alloc());
  hwloc_bitmap_set(node.get(), static_cast<unsigned>(numa));
  if (hwloc_set_area_membind(topology.get(), begin, bytes, node.get(), HWLOC_MEMBIND_BIND,
                             HWLOC_MEMBIND_BYNODESET | HWLOC_MEMBIND_MIGRATE) == 0)
    return {};
  return std::strerror(errno);
}

std::string prefer_memory(std::size_t numa) {
  const Topology topology = load_host("");
  const Bitmap node(hwloc_bitmap_alloc());
  hwloc_bitmap_set(node.get(), static_cast<unsigned>(numa));
  if (hwloc_set_membind(topology.get(), node.get(), HWLOC_MEMBIND_BIND,
                        HWLOC_MEMBIND_BYNODESET | HWLOC_MEMBIND_THREAD) == 0)
    return {};
  return std::strerror(errno);
}

std::vector<std::size_t> nodes_of_memory(const void* begin, std::size_t bytes) {
  static const Topology topology = load_host("");
  const Bitmap nodes(hwloc_bitmap_alloc());
  std::vector<std::size_t> found;
  if (hwloc_get_area_memlocation(topology.get(), begin, bytes, nodes.get(), HWLOC_MEMBIND_BYNODESET) != 0)
    return found;
  for (int node = -1; (node = hwloc_bitmap_next(nodes.get(), node)) >= 0;)
    found.push_back(static_cast<std::size_t>(node));
  return found;
}

}  // namespace takt::logp
