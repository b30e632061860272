#pragma once
/// The chains and results of the amp-scheduling study (arXiv 2502.10000), read from TAKT_TEST_DATA/chains.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "schedulers/task_chains/core_chain.hpp"

namespace takt::schedulers {

/// A row of results: an algorithm's period for a chain on these cores.
struct PublishedResult {
  std::string chain, algorithm;
  CoreCounts cores{};
  /// With six significant digits, as printed.
  std::string period;
  CoreCounts used{};
  std::size_t tasks = 0;
  /// Of each stage its tasks, cores, class and load, as printed: columns with `|` between the stages.
  std::string tasks_of_stages, cores_of_stages, classes_of_stages, loads_of_stages;
};

/// Indexed by "seed/stateless ratio". Throws if the file cannot be read.
[[nodiscard]] std::map<std::string, CoreChain> published_chains(const std::filesystem::path& folder);
[[nodiscard]] std::vector<PublishedResult> published_results(const std::filesystem::path& file);
/// Returns one chain of named tasks: `index,task,big_core,little_core,state`.
[[nodiscard]] CoreChain measured_chain(const std::filesystem::path& file);
/// The chain as a graph with a table of times, big cores first.
[[nodiscard]] TaskGraph graph_of(const CoreChain& chain, const CoreCounts& cores);

}  // namespace takt::schedulers
