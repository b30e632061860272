#pragma once
/// The processors that streams are admitted to, for `takt run A B` and `takt serve`.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "logp/machine.hpp"
#include "pipeline/streams/processor_places.hpp"

namespace takt::cli {

struct SharedProcessors {
  /// Where it was given; the others are measured.
  std::optional<logp::Machine> machine;
  pipeline::ProcessorPlaces places;
  /// `node1:2,node2:4`; empty where they are this computer's.
  std::string hosts;
  std::vector<std::string> warnings;
  /// Hosts that do not answer, and why.
  std::map<std::string, std::string> lost;
};

/// Of `hosts` (`node1`, `node2:4`), or of the hosts that Slurm has allocated, or of this computer; as many as
/// the machine has, where one is given; those of a host that does not answer as they are `known`. Of this
/// computer they may be fewer: there are no places then. Throws ConfigError for a machine or hosts that are
/// none, and where hosts have fewer than the machine.
[[nodiscard]] SharedProcessors shared_processors(std::vector<std::string> hosts, const std::string& machine,
                                                 const pipeline::ProcessorPlaces& known = {});

}  // namespace takt::cli
