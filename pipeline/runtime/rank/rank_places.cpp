#include "pipeline/runtime/rank/rank_places.hpp"

#include <string>

#include <fmt/format.h>

#include "core/system/host_name.hpp"
#include "logp/mpi/blocking.hpp"
#include "pipeline/protocol/rank_host.hpp"
#include "pipeline/runtime/pinning.hpp"

namespace takt::pipeline {

RankPlaces places_of_ranks(const Pipeline& pipeline, const std::vector<int>& nodes, MPI_Comm communicator) {
  if (!has_places(pipeline)) return find_places(pipeline, std::vector<RankHost>(nodes.size()));
  std::vector<RankHost> hosts;
  for (const std::string& text : mpi::gather(to_text(own_host(pipeline)), communicator))
    hosts.push_back(rank_host_from_text(text, nodes[hosts.size()]));
  return find_places(pipeline, hosts);
}

std::vector<std::optional<std::size_t>> place_memory(const std::optional<cpu_set_t>& processors,
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
  std::vector<std::optional<std::size_t>> nodes;
  for (const std::string& text : mpi::gather(own ? fmt::format("{}", *own) : std::string(), communicator))
    nodes.push_back(text.empty() ? std::nullopt : std::optional<std::size_t>(std::stoull(text)));
  return nodes;
}

}  // namespace takt::pipeline
