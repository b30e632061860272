#pragma once
/// Builds the command that starts ranks on the hosts of a site, and its environment.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/config/site.hpp"
#include "pipeline/protocol/run_folder.hpp"

namespace takt::pipeline {

/// Returns true for names of this computer: `localhost`, its host name (with or without domain), an address.
[[nodiscard]] bool names_this_host(const std::string& name);

/// Returns true if all ranks of the site run on this computer.
[[nodiscard]] bool is_on_this_host(const Site& site);

/// Returns the known hosts other than this computer: those of the site, or of Slurm's allocation.
[[nodiscard]] std::vector<std::string> other_hosts(const Site& site);

/// Throws ConfigError if no rank runs on this computer, whose files `what` needs: otherwise rank 0 does,
/// because mpirun fills it first.
void expect_rank_here(const Site& site, std::string_view what);

struct RanksCommand {
  Site site;
  /// Nothing: one rank on each host.
  std::optional<std::size_t> ranks;
  /// Options for mpirun, in addition to those of the site.
  std::vector<std::string> options = {};
  /// Command of each rank.
  std::vector<std::string> command;
  /// Variables for each rank, and for mpirun itself.
  Variables for_ranks = {}, for_starter = {};
};

/// Returns `mpirun -n RANKS --bind-to none --host ... COMMAND`, or `srun`, with names of variables for ranks
/// but not their values, which others could read. Throws ConfigError for srun outside an allocation.
[[nodiscard]] std::vector<std::string> words_of(const RanksCommand& start);

/// Returns the starter's environment: it keeps Open MPI's files in the directory, permits root, and restricts
/// the network to this computer or the site's network. Variables set by the user have precedence.
[[nodiscard]] Variables environment_of(const RanksCommand& start, const RunFolder& folder);

/// Returns the words with which mpirun reaches other hosts, before the host's name: those of the user
/// (OMPI_MCA_plm_rsh_agent), or ssh without prompts and with a timeout of 10 s.
[[nodiscard]] std::vector<std::string> remote_shell();

}  // namespace takt::pipeline
