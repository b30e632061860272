#pragma once
/// Moldable graphs and machines with clusters for the tests of their schedulers.

#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "core/graphs/generators.hpp"
#include "core/random.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers::moldable_tests {

/// Returns a random layered graph of tasks with Amdahl's law, with work of 1e6 to 1e9 ticks.
inline TaskGraph amdahl_graph(std::uint64_t seed, std::size_t tasks, std::string_view alpha = "0..0.25") {
  return generate(
      fmt::format("layered:tasks={},width=0.5,density=0.5,jump=2,cost=1000000..1000000000,"
                  "data=0..10000000,alpha={},seed={}",
                  tasks, alpha, seed));
}

/// The same shapes with measured times: random monotone ones, on some numbers of processors.
inline TaskGraph measured_graph(std::uint64_t seed, std::size_t tasks) {
  const TaskGraph shape = amdahl_graph(seed, tasks);
  Random random(seed, 7);
  TaskGraphBuilder builder;
  for (TaskId id : shape.tasks()) {
    Task task = shape.task(id);
    task.moldable.reset();
    if (random.below(4) > 0) {
      std::vector<MoldableProfile::Point> points{{1, task.work}};
      for (std::uint32_t p = 2; p < 40; p += 1 + static_cast<std::uint32_t>(random.below(6)))
        points.push_back({p, Time(random.between(task.work.count() / (2 * p), points.back().time.count()))});
      task.moldable = MoldableProfile{0, monotone_hull(points)};
    }
    builder.add_task(task);
  }
  for (EdgeId id : shape.edges())
    builder.add_edge(shape.edge(id).from, shape.edge(id).to, shape.edge(id).size);
  return std::move(builder).build();
}

struct ClusterShape {
  std::size_t processors;
  double speed = 1;
};

/// Returns clusters whose messages take 1000 + 8 per byte within, 5000 + 8 between them, if communication
/// costs; a processor sends 1 byte in 8 ticks, a pair of clusters one in 0.8.
inline logp::Machine clusters(const std::vector<ClusterShape>& shapes, bool communicates) {
  Platform platform;
  for (std::uint32_t c = 0; c < shapes.size(); ++c)
    for (std::size_t i = 0; i < shapes[c].processors; ++i) {
      platform.speeds.push_back(shapes[c].speed);
      platform.node_of.push_back(static_cast<std::uint32_t>(platform.cluster_of_node.size()));
      platform.cluster_of_node.push_back(c);
    }
  if (!communicates) return {platform, logp::LinkCosts{}};
  const auto link = [](double latency, double backbone) {
    logp::LinkCosts costs;
    costs.latency = logp::Cost(latency, 8);
    costs.send_gap = costs.receive_gap = logp::Cost(0, 8);
    costs.backbone = logp::Cost(0, backbone);
    return costs;
  };
  return {platform, {logp::LinkCosts{}, link(1000, 0), link(1000, 0), link(5000, 0.8)}};
}

}  // namespace takt::schedulers::moldable_tests
