#pragma once
/// Slurm: what it has allocated to this process, and batch scripts for it.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/config/site.hpp"

namespace takt::pipeline {

/// The hosts of a list as Slurm writes it, `n[1-3,07],gpu2` or `rack[1-2]n[1-4]`, in its order. Throws
/// ConfigError for a list that is none, or of more than 65,536 hosts.
[[nodiscard]] std::vector<std::string> expand_host_list(std::string_view text);

/// The hosts of the allocation in which this process runs; none outside of one.
[[nodiscard]] std::vector<std::string> slurm_hosts();

/// Whether srun has started several copies of this program that know nothing of each other: without
/// --mpi=pmix each of them would be a launcher.
[[nodiscard]] bool is_one_of_many_copies();

struct BatchJob {
  std::string name;
  SlurmRequest request;
  std::size_t ranks = 1;
  /// Whether the job goes on when a node fails.
  bool outlives_nodes = false;
  /// The folder where it runs, and the command.
  std::string folder;
  std::vector<std::string> command;
};

/// A script for sbatch that runs the command on the first node of the allocation. Slurm warns it 30 s before
/// its time is over, and it ends in order: what was taken in is delivered.
[[nodiscard]] std::string batch_script(const BatchJob& job);

/// A time as Slurm's --time takes it: whole minutes, rounded up, `1-02:30:00`.
[[nodiscard]] std::string slurm_time(Time time);

/// Hands the script to sbatch; the number of the job. Throws WorkError with sbatch's own words when it
/// refuses, ConfigError where there is none.
[[nodiscard]] std::string submit(const std::string& script);

}  // namespace takt::pipeline
