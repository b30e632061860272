#pragma once
/// Clusters: tasks that will share a processor, for as many processors as one likes.

#include <cstddef>

#include "schedulers/delay/timetable.hpp"

namespace takt::schedulers {

/// What a clustering algorithm finds: a timetable over clusters in place of processors, numbered from 0 in
/// the order of their first tasks, with mean durations and mean delays.
struct Clustering {
  Timetable timetable;
  std::size_t count = 0;
};

/// Numbers the clusters of a timetable, whatever their ids, from 0 in the order of their first tasks. O(n log
/// n).
[[nodiscard]] Clustering numbered(Timetable timetable);

}  // namespace takt::schedulers
