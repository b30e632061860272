#include "pipeline/channels/nodes.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "core/host_name.hpp"
#include "logp/mpi/blocking.hpp"

namespace takt::pipeline {

namespace {

/// Empty where the system does not tell.
std::string own_node() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::string node = boot + ' ' + host_name();
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

}  // namespace takt::pipeline
