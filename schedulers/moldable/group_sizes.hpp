#pragma once
/// From one number of processors a task to one in each cluster.

#include "schedulers/moldable/allotment.hpp"
#include "schedulers/moldable/mapping.hpp"

namespace takt::schedulers {

/// In each cluster the least number that is no slower than the allotment on processors of a reference speed,
/// or all that are of use there.
[[nodiscard]] GroupSizes translated_sizes(const TaskGraph& graph, const Clusters& clusters,
                                          const Allotment& allotment, double reference_speed);

/// Exactly the allotment, in clusters that are large enough.
[[nodiscard]] GroupSizes exact_sizes(const TaskGraph& graph, const Clusters& clusters,
                                     const Allotment& allotment);

}  // namespace takt::schedulers
