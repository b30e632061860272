#include "pipeline/runtime/rank/rank_places.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/system/host_name.hpp"
#include "logp/mpi/blocking.hpp"
#include "pipeline/protocol/rank_host.hpp"
#include "pipeline/runtime/channels/node_memory.hpp"
#include "pipeline/runtime/pinning.hpp"

namespace takt::pipeline {

RankPlaces places_of_ranks(const Pipeline& pipeline, const std::vector<int>& nodes, MPI_Comm communicator) {
  std::vector<RankHost> hosts;
  if (!has_places(pipeline)) {
    for (const int node : nodes) hosts.push_back({.name = {}, .node = node, .processors = {}});
    return find_places(pipeline, hosts);
  }
  for (const std::string& text : mpi::gather(to_text(own_host(pipeline)), communicator))
    hosts.push_back(rank_host_from_text(text, nodes[hosts.size()]));
  return find_places(pipeline, hosts);
}

std::vector<std::optional<std::size_t>> place_memory(const std::optional<cpu_set_t>& processors,
                                                     const std::vector<int>& nodes,
                                                     std::vector<std::string>& unmet, MPI_Comm communicator) {
  const std::optional<std::size_t> own =
      processors ? memory_node_of(processors, logp::host_processors()) : std::nullopt;
  if (own)
    if (const std::string reason = logp::prefer_memory(*own); !reason.empty())
      unmet.push_back(
          fmt::format("host '{}' does not bind memory to NUMA node {} ({}), so that frames may lie on "
                      "another node: allow "
                      "set_mempolicy (in a container: --cap-add SYS_NICE)",
                      host_name(), *own, reason));
  std::vector<std::optional<std::size_t>> memory_nodes;
  for (const std::string& text : mpi::gather(own ? fmt::format("{}", *own) : std::string(), communicator))
    memory_nodes.push_back(text.empty() ? std::nullopt : std::optional<std::size_t>(std::stoull(text)));
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  std::set<std::size_t> of_readers;
  for (std::size_t i = 0; i < memory_nodes.size(); ++i)
    if (memory_nodes[i] && i != static_cast<std::size_t>(rank) &&
        nodes[i] == nodes[static_cast<std::size_t>(rank)])
      of_readers.insert(*memory_nodes[i]);
  std::ranges::move(unbound_rings(of_readers), std::back_inserter(unmet));
  return memory_nodes;
}

std::vector<std::string> unbound_rings(const std::set<std::size_t>& numa_nodes) {
  std::vector<std::string> unbound;
  for (const std::size_t node : numa_nodes) {
    const NodeMemory memory = NodeMemory::create(1);
    if (const std::string reason = logp::bind_memory(memory.begin(), memory.size(), node); !reason.empty())
      unbound.push_back(
          fmt::format("host '{}' does not bind shared memory to NUMA node {} ({}), so that frames between "
                      "ranks may lie on "
                      "another node: allow mbind (in a container: --cap-add SYS_NICE)",
                      host_name(), node, reason));
  }
  return unbound;
}

}  // namespace takt::pipeline
