#pragma once
/// Converts one number of processors per task to one per cluster.

#include "schedulers/moldable/allotment.hpp"
#include "schedulers/moldable/mapping.hpp"

namespace takt::schedulers {

/// Returns for each cluster the least number that is no slower than the allotment on processors of a
/// reference speed, or all that are useful there.
[[nodiscard]] GroupSizes translated_sizes(const TaskGraph& graph, const Clusters& clusters,
                                          const Allotment& allotment, double reference_speed);

/// Returns exactly the allotment, in clusters that are large enough.
[[nodiscard]] GroupSizes exact_sizes(const TaskGraph& graph, const Clusters& clusters,
                                     const Allotment& allotment);

}  // namespace takt::schedulers
