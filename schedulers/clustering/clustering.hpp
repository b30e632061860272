#pragma once
/// Clusters: sets of tasks that share a processor, on an unbounded number of processors.

#include <cstddef>

#include "schedulers/delay/timetable.hpp"

namespace takt::schedulers {

/// Result of a clustering algorithm: a timetable over clusters in place of processors, numbered from 0 in the
/// order of their first tasks, with mean durations and mean delays.
struct Clustering {
  Timetable timetable;
  std::size_t count = 0;
};

/// Numbers the clusters of a timetable with arbitrary ids from 0 in the order of their first tasks. O(n log
/// n).
[[nodiscard]] Clustering numbered(Timetable timetable);

}  // namespace takt::schedulers
