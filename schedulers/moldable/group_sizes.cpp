#include "schedulers/moldable/group_sizes.hpp"

namespace takt::schedulers {

GroupSizes translated_sizes(const TaskGraph& graph, const Clusters& clusters, const Allotment& allotment,
                            double reference_speed) {
  // Numbers whose times differ only by rounding count as equally fast.
  constexpr double tolerance = 1e-9;
  GroupSizes sizes(graph.task_count(), clusters.count());
  for (TaskId id : graph.tasks()) {
    const Task& task = graph.task(id);
    const double wanted = task.time_on(allotment[id.index()]) / reference_speed * (1 + tolerance);
    for (std::size_t cluster = 0; cluster < clusters.count(); ++cluster) {
      const double speed = clusters.list[cluster].speed;
      std::size_t low = 1, high = task.most_processors(clusters.list[cluster].size());
      while (low < high) {
        const std::size_t middle = (low + high) / 2;
        if (task.time_on(middle) / speed <= wanted)
          high = middle;
        else
          low = middle + 1;
      }
      sizes.of(id, cluster) = low;
    }
  }
  return sizes;
}

GroupSizes exact_sizes(const TaskGraph& graph, const Clusters& clusters, const Allotment& allotment) {
  GroupSizes sizes(graph.task_count(), clusters.count());
  for (TaskId task : graph.tasks())
    for (std::size_t cluster = 0; cluster < clusters.count(); ++cluster)
      if (allotment[task.index()] <= clusters.list[cluster].size())
        sizes.of(task, cluster) = allotment[task.index()];
  return sizes;
}

}  // namespace takt::schedulers
