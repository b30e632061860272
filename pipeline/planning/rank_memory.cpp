#include "pipeline/planning/rank_memory.hpp"

namespace takt::pipeline {

Execution planned_execution(const Pipeline& pipeline, const TaskGraph& graph, const logp::Machine& machine,
                            const Schedule& schedule) {
  const Platform& platform = machine.platform();
  const bool shares = pipeline.deployment.transport == Transport::automatic;
  return execution_of(pipeline, graph, schedule, [&](std::size_t a, std::size_t b) {
    return shares && platform.node_of[a] == platform.node_of[b];
  });
}

bool share_memory(const Pipeline& pipeline, const logp::Machine& machine) {
  return pipeline.deployment.transport == Transport::automatic &&
         machine.platform().cluster_of_node.size() == 1;
}

}  // namespace takt::pipeline
