#pragma once
/// Reads Slurm's allocation of this process, and makes batch scripts.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/config/site.hpp"

namespace takt::pipeline {

/// Expands a host list of Slurm, `n[1-3,07],gpu2` or `rack[1-2]n[1-4]`, in its order. Throws ConfigError for
/// an invalid list, or one of more than 65,536 hosts.
[[nodiscard]] std::vector<std::string> expand_host_list(std::string_view text);

/// Returns the hosts of this process's allocation; empty outside of one.
[[nodiscard]] std::vector<std::string> slurm_hosts();

/// Returns true if srun has started several independent copies of this program: without --mpi=pmix each of
/// them would be a launcher.
[[nodiscard]] bool is_one_of_many_copies();

struct BatchJob {
  std::string name;
  SlurmRequest request;
  std::size_t ranks = 1;
  /// True if the job continues after the failure of a node.
  bool outlives_nodes = false;
  /// Working directory and command.
  std::string folder;
  std::vector<std::string> command;
};

/// Returns a script for sbatch that runs the command on the first node of the allocation. Slurm signals it 30
/// s before its time limit, and it then ends in order: all frames read are delivered.
[[nodiscard]] std::string batch_script(const BatchJob& job);

/// Formats a time for Slurm's --time: whole minutes, rounded up, `1-02:30:00`.
[[nodiscard]] std::string slurm_time(Time time);

/// Passes the script to sbatch and returns the number of the job. Throws WorkError with sbatch's message if
/// it refuses, ConfigError if it is not installed.
[[nodiscard]] std::string submit(const std::string& script);

}  // namespace takt::pipeline
