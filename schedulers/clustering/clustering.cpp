#include "schedulers/clustering/clustering.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace takt::schedulers {

Clustering numbered(Timetable timetable) {
  const std::size_t n = timetable.processor.size();
  std::vector<std::size_t> by_start(n);
  std::iota(by_start.begin(), by_start.end(), std::size_t{0});
  std::stable_sort(by_start.begin(), by_start.end(),
                   [&](std::size_t a, std::size_t b) { return timetable.start[a] < timetable.start[b]; });
  std::size_t ids = 0;
  for (ProcessorId id : timetable.processor) ids = std::max(ids, id.index() + 1);
  std::vector<std::optional<ProcessorId>> number(ids);
  std::size_t count = 0;
  for (std::size_t task : by_start) {
    auto& new_id = number[timetable.processor[task].index()];
    if (!new_id) new_id = ProcessorId(count++);
  }
  for (ProcessorId& id : timetable.processor) id = *number[id.index()];
  return {std::move(timetable), count};
}

}  // namespace takt::schedulers
