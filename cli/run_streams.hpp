#pragma once
/// `takt run A.yaml B.yaml`: several pipelines on one set of processors.

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/progress.hpp"

namespace takt::cli {

struct RunStreamsArguments {
  std::vector<std::string> files;
  /// `node1`, `node2:4`; empty: this computer, or Slurm's allocation.
  std::vector<std::string> hosts;
  std::string machine, report, format;
  ProgressStyle progress = ProgressStyle::automatic;
  bool is_dry = false, overwrites = false;
  /// Options for each of the runs.
  std::vector<std::string> more;
};

/// Admits all pipelines, or reports why not and runs none; then runs them and reports. Returns the exit code.
int run_streams(const RunStreamsArguments& arguments, const Command& given);

}  // namespace takt::cli
