#pragma once
/// Which processors of which computers stand for those of the machine that streams share.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "pipeline/config/site.hpp"

namespace takt::pipeline {

struct ProcessorPlace {
  /// As the user calls it; empty: this computer.
  std::string host = {};
  /// Number of the processor there.
  std::size_t core = 0;
  friend bool operator==(const ProcessorPlace&, const ProcessorPlace&) = default;
};

/// By processor of the machine; those of a host stand together, this computer's first. Empty: ranks go where
/// the system puts them.
using ProcessorPlaces = std::vector<ProcessorPlace>;

/// The first ones of this computer that takt may use; empty where it has fewer.
[[nodiscard]] ProcessorPlaces places_here(std::size_t processors);

/// The hosts that Slurm has allocated, where there are several; none otherwise.
[[nodiscard]] std::vector<std::string> allocated_hosts();

struct HostPlaces {
  ProcessorPlaces places;
  /// Hosts that do not answer, and why; their places are those that are known.
  std::map<std::string, std::string> lost;
  /// Sentences.
  std::vector<std::string> warnings;
};

/// Of hosts as `node1` (all its processors that takt may use) or `node1:2` (the first two): asks each of
/// them. One that does not answer is lost where its places are `known` from an earlier time, and not fit
/// where they are not or it is this computer. Throws ConfigError for names that are none, twice the same,
/// more processors than a host has, and hosts that are not fit to work together, with what to do.
[[nodiscard]] HostPlaces places_on(const std::vector<std::string>& hosts, const ProcessorPlaces& known = {});

/// The hosts of these processors of the machine in their order, with the number of those on each; none where
/// all places are this computer's.
[[nodiscard]] std::vector<HostSlots> hosts_of(const ProcessorPlaces& places,
                                              const std::vector<std::size_t>& processors);

}  // namespace takt::pipeline
