#pragma once
/// Defines the hosts of a run, and the program that starts ranks on them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/yaml_tree.hpp"
#include "core/units.hpp"
#include "pipeline/parameters.hpp"

namespace takt::pipeline {

/// A host name for ssh and Slurm, and its number of ranks.
struct HostSlots {
  std::string name;
  std::size_t slots = 1;
  friend bool operator==(const HostSlots&, const HostSlots&) = default;
};

/// Program that starts the ranks: mpirun (which uses ssh, or Slurm inside an allocation), or Slurm's srun.
enum class RankStarter : std::uint8_t { mpirun, srun };

struct Site {
  /// In the order in which ranks fill them, but this computer first if it is included; empty: this computer,
  /// or the allocation of a batch system.
  std::vector<HostSlots> hosts = {};
  SourceLocation hosts_where = {};
  RankStarter starter = RankStarter::mpirun;
  /// Network between the hosts and the launcher: an interface (`eth1`), an address (`10.0.0.7`) or a network
  /// (`10.0.0.0/24`); empty: the one that leads to the first remote host.
  std::string network = {};
  SourceLocation network_where = {};
};

/// Resources that `takt submit` requests from Slurm.
struct SlurmRequest {
  /// Empty: the cluster's default.
  std::string partition = {};
  std::size_t nodes = 1;
  /// Rounded up to whole minutes; 0: the partition's limit.
  Time time{0};
  SourceLocation where = {};
};

/// Return the keys of `deployment` about hosts, and those of its `slurm`.
[[nodiscard]] const std::vector<ParameterSpec>& site_keys();
[[nodiscard]] const std::vector<ParameterSpec>& slurm_keys();

/// Returns the hosts with slots for this number of ranks. If the number of slots is not set (`slots` is 0,
/// and `a` not `a:4`), all hosts have as many as needed. Throws ConfigError for invalid or repeated names,
/// and for hosts with fewer slots than ranks. Without `ranks` there is one rank for each slot.
[[nodiscard]] std::vector<HostSlots> parse_hosts(const std::vector<std::string>& texts, std::size_t slots,
                                                 std::optional<std::size_t> ranks);

/// Returns the site of a `deployment` whose keys have been read; `ranks` if the file sets their number.
[[nodiscard]] Site read_site(const Parameters& deployment, std::optional<std::size_t> ranks,
                             ErrorList& errors);
/// Reads `slurm: {...}`, if present.
[[nodiscard]] std::optional<SlurmRequest> read_slurm(const YamlNode& deployment, ErrorList& errors);

}  // namespace takt::pipeline
