#pragma once
/// The type of cores of a host.

#include <string>

#include <hwloc.h>

namespace takt::logp {

/// Returns the type of the cores of a set of processing units, as the system names it (`IntelCore`), or
/// `efficiency 1` without a name; empty if the host has one type only, or the set has several.
[[nodiscard]] std::string core_type_of(hwloc_topology_t topology, hwloc_const_bitmap_t set);

}  // namespace takt::logp
