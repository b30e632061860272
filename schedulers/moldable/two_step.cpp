#include "schedulers/moldable/two_step.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/error.hpp"
#include "schedulers/moldable/group_sizes.hpp"
#include "schedulers/moldable/mcgas.hpp"

namespace takt::schedulers {

namespace {

/// Computes the allotment with these rules, translates and maps it.
Schedule allot_and_map(std::string_view name, const TaskGraph& graph, const logp::Machine& machine,
                       const Clusters& clusters, const CpaRules& rules, double reference_speed,
                       const MoldableOptions& options) {
  const AllowedNumbers allowed(clusters.largest(), options.allocations);
  const Allotment allotment = allot_by_critical_path(graph, allowed, rules);
  return map_groups(graph, machine, clusters, translated_sizes(graph, clusters, allotment, reference_speed),
                    options.mapping)
      .schedule(name);
}

}  // namespace

double reference_processors(const Clusters& clusters) {
  double worth = 0;
  for (const ProcessorCluster& cluster : clusters.list)
    worth += static_cast<double>(cluster.size()) * cluster.speed;
  return std::floor(worth / clusters.fastest() * (1 + 1e-12));
}

CpaRules hcpa_rules(const TaskGraph& graph, const Clusters& clusters) {
  return {std::max(1.0, std::min(reference_processors(clusters), static_cast<double>(graph.task_count()))),
          {}};
}

Schedule cpa(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  const Clusters clusters(machine);
  return allot_and_map("cpa", graph, machine, clusters, {reference_processors(clusters), {}},
                       clusters.fastest(), options.moldable);
}

Schedule mcpa(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  const Clusters clusters(machine);
  const double processors = reference_processors(clusters);
  return allot_and_map("mcpa", graph, machine, clusters, {processors, static_cast<std::size_t>(processors)},
                       clusters.fastest(), options.moldable);
}

Schedule hcpa(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  const Clusters clusters(machine);
  return allot_and_map("hcpa", graph, machine, clusters, hcpa_rules(graph, clusters), clusters.fastest(),
                       options.moldable);
}

Schedule mcgas(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  const Clusters clusters(machine);
  std::optional<Schedule> best;
  Time least{0};
  for (const McgasPlan& plan : plan_mcgas(graph, clusters, options.moldable)) {
    const GroupTimeline mapped = map_groups(
        graph, machine, clusters, exact_sizes(graph, clusters, plan.allotment), options.moldable.mapping);
    Schedule schedule = mapped.schedule("mcgas");
    const Time makespan = measure(schedule).makespan;
    if (best && makespan >= least) continue;
    least = makespan;
    // With times that differ by processor, the work is a mean: neither bound nor guarantee follows from it.
    if (!graph.has_work_table()) {
      schedule.makespan_bound = plan.bound;
      if (std::isfinite(plan.guarantee)) schedule.guarantee = plan.guarantee;
    }
    best = std::move(schedule);
  }
  return std::move(best).value();
}

}  // namespace takt::schedulers
