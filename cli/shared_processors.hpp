#pragma once
/// The processors shared by streams, for `takt run A B` and `takt serve`.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "logp/machine.hpp"
#include "pipeline/streams/processor_places.hpp"

namespace takt::cli {

struct SharedProcessors {
  /// If given; otherwise it is measured.
  std::optional<logp::Machine> machine;
  pipeline::ProcessorPlaces places;
  /// `node1:2,node2:4`; empty for this computer.
  std::string hosts;
  std::vector<std::string> warnings;
  /// Hosts that do not answer, with reasons.
  std::map<std::string, std::string> lost;
};

/// Returns the processors of `hosts` (`node1`, `node2:4`), of Slurm's allocation, or of this computer; as
/// many as the machine has, if one is given. A host that does not answer has its `known` places. If this
/// computer has too few processors, the places are empty. Throws ConfigError for an invalid machine or host,
/// and if the hosts have fewer processors than the machine.
[[nodiscard]] SharedProcessors shared_processors(std::vector<std::string> hosts, const std::string& machine,
                                                 const pipeline::ProcessorPlaces& known = {});

}  // namespace takt::cli
