#pragma once
/// How ranks are started on the hosts of a site: the command, and the variables that it and they need.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/config/site.hpp"
#include "pipeline/protocol/run_folder.hpp"

namespace takt::pipeline {

/// Whether a name is this computer's: `localhost`, its host name (with or without domain), an own address.
[[nodiscard]] bool names_this_host(const std::string& name);

/// Whether all ranks of the site come up on this computer.
[[nodiscard]] bool is_on_this_host(const Site& site);

/// Hosts other than this computer, as far as they are known: those of the site, or of Slurm's allocation.
[[nodiscard]] std::vector<std::string> other_hosts(const Site& site);

/// Throws ConfigError where no rank comes up on this computer, whose files `what` needs: rank 0 is on it
/// otherwise, for mpirun fills it first.
void expect_rank_here(const Site& site, std::string_view what);

struct RanksCommand {
  Site site;
  /// Nothing: one on each host.
  std::optional<std::size_t> ranks;
  /// For mpirun, besides those that the site needs.
  std::vector<std::string> options = {};
  /// What each rank is.
  std::vector<std::string> command;
  /// What each rank gets, and what mpirun itself does.
  Variables for_ranks = {}, for_starter = {};
};

/// `mpirun -n RANKS --bind-to none --host ... COMMAND`, or `srun`. Variables for ranks are named on it, not
/// their values, which other users could read. Throws ConfigError for srun outside an allocation.
[[nodiscard]] std::vector<std::string> words_of(const RanksCommand& start);

/// What the starter needs in its environment: keeps Open MPI's files in the folder, lets root run it, and
/// keeps it on this computer, or on the site's network. Variables that the user has set stay.
[[nodiscard]] Variables environment_of(const RanksCommand& start, const RunFolder& folder);

/// How mpirun reaches other hosts: the words before the host's name; what the user says
/// (OMPI_MCA_plm_rsh_agent), or ssh that asks nothing and gives up after 10 s.
[[nodiscard]] std::vector<std::string> remote_shell();

}  // namespace takt::pipeline
