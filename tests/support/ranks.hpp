#pragma once
/// Finds the processes of an active run.

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tests/support/program.hpp"

namespace takt::test {

/// Returns the ranks of a run, whose arguments contain the pipeline's path.
inline std::vector<pid_t> ranks_of(const std::string& pipeline) {
  std::vector<pid_t> pids;
  for (const auto& entry : std::filesystem::directory_iterator("/proc"))
    if (read_file(entry.path() / "cmdline").find(pipeline) != std::string::npos &&
        read_file(entry.path() / "environ").find("OMPI_COMM_WORLD_RANK=") != std::string::npos)
      pids.push_back(std::stoi(entry.path().filename()));
  return pids;
}

}  // namespace takt::test
