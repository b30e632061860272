#pragma once
/// Maps the processors of a machine shared by streams to processors of hosts.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "pipeline/config/site.hpp"

namespace takt::pipeline {

struct ProcessorPlace {
  /// The host's name as set by the user; empty: this computer.
  std::string host = {};
  /// Number of the processor on the host.
  std::size_t core = 0;
  friend bool operator==(const ProcessorPlace&, const ProcessorPlace&) = default;
};

/// By processor of the machine; grouped by host, this computer first. Empty: the operating system places the
/// ranks.
using ProcessorPlaces = std::vector<ProcessorPlace>;

/// Returns the first available processors of this computer; empty if it has fewer.
[[nodiscard]] ProcessorPlaces places_here(std::size_t processors);

/// Returns the hosts allocated by Slurm, if there are several; otherwise none.
[[nodiscard]] std::vector<std::string> allocated_hosts();

struct HostPlaces {
  ProcessorPlaces places;
  /// Hosts that do not answer, with reasons; their places are the known ones.
  std::map<std::string, std::string> lost;
  /// Sentences for the user.
  std::vector<std::string> warnings;
};

/// Surveys hosts written as `node1` (all of its available processors) or `node1:2` (the first two). A host
/// that does not answer is lost if its places are `known` from earlier, and otherwise, or if it is this
/// computer, not fit. Throws ConfigError, with a remedy, for invalid or repeated names, more processors than
/// a host has, and hosts that are not fit to work together.
[[nodiscard]] HostPlaces places_on(const std::vector<std::string>& hosts, const ProcessorPlaces& known = {});

/// Returns the hosts of these processors of the machine in their order, with the number of processors on
/// each; empty if all places are on this computer.
[[nodiscard]] std::vector<HostSlots> hosts_of(const ProcessorPlaces& places,
                                              const std::vector<std::size_t>& processors);

}  // namespace takt::pipeline
