#include "logp/calibration/core_type.hpp"

#include <string_view>

#include <fmt/format.h>

namespace takt::logp {

std::string core_type_of(hwloc_topology_t topology, hwloc_const_bitmap_t set) {
  const int kinds = hwloc_cpukinds_get_nr(topology, 0), kind = hwloc_cpukinds_get_by_cpuset(topology, set, 0);
  if (kinds < 2 || kind < 0) return {};
  int efficiency = 0;
  unsigned count = 0;
  hwloc_info_s* infos = nullptr;
  hwloc_cpukinds_get_info(topology, static_cast<unsigned>(kind), nullptr, &efficiency, &count, &infos, 0);
  for (unsigned i = 0; i < count; ++i)
    if (std::string_view(infos[i].name) == "CoreType") return infos[i].value;
  return fmt::format("efficiency {}", kind);
}

}  // namespace takt::logp
