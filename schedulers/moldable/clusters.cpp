#include "schedulers/moldable/clusters.hpp"

#include <algorithm>

namespace takt::schedulers {

Clusters::Clusters(const logp::Machine& machine) {
  const Platform& platform = machine.platform();
  std::vector<ProcessorCluster> all(platform.cluster_count());
  for (ProcessorId p : machine.processors()) {
    ProcessorCluster& cluster = all[platform.cluster(p)];
    const double speed = platform.speeds[p.index()];
    cluster.fastest = cluster.processors.empty() ? speed : std::max(cluster.fastest, speed);
    cluster.speed = cluster.processors.empty() ? speed : std::min(cluster.speed, speed);
    cluster.processors.push_back(p);
  }
  std::erase_if(all, [](const ProcessorCluster& cluster) { return cluster.processors.empty(); });
  list = std::move(all);
}

std::size_t Clusters::processor_count() const {
  std::size_t count = 0;
  for (const ProcessorCluster& cluster : list) count += cluster.size();
  return count;
}

std::size_t Clusters::largest() const {
  return std::ranges::max_element(list, {}, &ProcessorCluster::size)->size();
}

double Clusters::fastest() const {
  return std::ranges::max_element(list, {}, &ProcessorCluster::speed)->speed;
}

double Clusters::slowest() const {
  return std::ranges::min_element(list, {}, &ProcessorCluster::speed)->speed;
}

double Clusters::fastest_processor() const {
  return std::ranges::max_element(list, {}, &ProcessorCluster::fastest)->fastest;
}

std::vector<std::size_t> Clusters::sizes() const {
  std::vector<std::size_t> sizes;
  for (const ProcessorCluster& cluster : list) sizes.push_back(cluster.size());
  return sizes;
}

}  // namespace takt::schedulers
