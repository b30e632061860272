#include "pipeline/runtime/channels/nodes.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/system/allowed_processors.hpp"
#include "core/system/host_name.hpp"
#include "logp/mpi/blocking.hpp"

namespace takt::pipeline {

namespace {

/// Returns the identity of this node, without the parts that the system does not report.
std::string own_node() {
  std::string node = boot_id() + ' ' + host_name();
  for (const char* space : {"pid", "net", "time"}) {
    std::error_code error;
    node +=
        ' ' + std::filesystem::read_symlink(std::filesystem::path("/proc/self/ns") / space, error).string();
  }
  return node;
}

}  // namespace

std::vector<int> nodes_of_ranks(MPI_Comm communicator) {
  const std::vector<std::string> names = mpi::gather(own_node(), communicator);
  std::vector<int> nodes;
  for (const std::string& name : names)
    nodes.push_back(static_cast<int>(std::ranges::find(names, name) - names.begin()));
  return nodes;
}

std::vector<NodeShare> node_shares(MPI_Comm communicator) {
  const std::vector<int> nodes = nodes_of_ranks(communicator);
  const std::vector<std::string> processors =
      mpi::gather(fmt::format("{}", fmt::join(allowed_processors(), " ")), communicator);
  std::map<int, std::set<std::size_t>> of_node;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    std::istringstream numbers(processors[rank]);
    for (std::size_t number = 0; numbers >> number;) of_node[nodes[rank]].insert(number);
  }
  std::vector<NodeShare> shares;
  for (const int node : nodes)
    shares.push_back({node, static_cast<std::size_t>(std::ranges::count(nodes, node)), of_node[node].size()});
  return shares;
}

NodeMemory share_memory(MPI_Comm communicator, bool takes_part, std::size_t bytes) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  const std::vector<int> all = mpi::gather(takes_part ? 1 : 0, communicator);
  const bool makes = takes_part && std::ranges::find(all, 1) - all.begin() == rank;
  NodeMemory memory;
  if (makes) memory = NodeMemory::create(bytes);
  std::string handle;
  for (std::string& text : mpi::gather(makes ? memory.handle() : std::string(), communicator))
    if (!text.empty()) handle = std::move(text);
  if (takes_part && !makes) memory = NodeMemory::open(handle, bytes);
  mpi::barrier(communicator);
  if (takes_part) memory.close_handle();
  return memory;
}

}  // namespace takt::pipeline
