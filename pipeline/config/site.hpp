#pragma once
/// On which computers ranks come up, and who starts them there.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/yaml_tree.hpp"
#include "core/units.hpp"
#include "pipeline/parameters.hpp"

namespace takt::pipeline {

/// A host as ssh and Slurm name it, and how many ranks it takes.
struct HostSlots {
  std::string name;
  std::size_t slots = 1;
  friend bool operator==(const HostSlots&, const HostSlots&) = default;
};

/// Who starts the ranks: mpirun (which uses ssh, or Slurm inside an allocation), or Slurm's srun.
enum class RankStarter : std::uint8_t { mpirun, srun };

struct Site {
  /// In the order in which ranks fill them, but this computer first where it is one; empty: this computer, or
  /// what a batch system has allocated.
  std::vector<HostSlots> hosts = {};
  SourceLocation hosts_where = {};
  RankStarter starter = RankStarter::mpirun;
  /// Over which network ranks of several hosts and their launcher talk: an interface (`eth1`), an address
  /// (`10.0.0.7`) or a network (`10.0.0.0/24`); empty: the one that leads to the first of the other hosts.
  std::string network = {};
  SourceLocation network_where = {};
};

/// What `takt submit` asks Slurm for.
struct SlurmRequest {
  /// Empty: the cluster's default.
  std::string partition = {};
  std::size_t nodes = 1;
  /// Whole minutes count; 0: the partition's limit.
  Time time{0};
  SourceLocation where = {};
};

/// What may stand in `deployment` about hosts, and in its `slurm`.
[[nodiscard]] const std::vector<ParameterSpec>& site_keys();
[[nodiscard]] const std::vector<ParameterSpec>& slurm_keys();

/// The hosts with slots for so many ranks: where nobody says how many (`slots` is 0, and `a` not `a:4`), all
/// get as many as it takes. Throws ConfigError for names that are none, twice the same, and hosts that have
/// fewer slots than there are ranks; without `ranks` there is one for each slot.
[[nodiscard]] std::vector<HostSlots> parse_hosts(const std::vector<std::string>& texts, std::size_t slots,
                                                 std::optional<std::size_t> ranks);

/// The site of a `deployment` whose keys have been read; `ranks` where the file says how many.
[[nodiscard]] Site read_site(const Parameters& deployment, std::optional<std::size_t> ranks,
                             ErrorList& errors);
/// Its `slurm: {...}`, where it has one.
[[nodiscard]] std::optional<SlurmRequest> read_slurm(const YamlNode& deployment, ErrorList& errors);

}  // namespace takt::pipeline
