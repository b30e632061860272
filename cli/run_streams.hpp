#pragma once
/// `takt run A.yaml B.yaml`: several pipelines on one set of processors.

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/progress.hpp"

namespace takt::cli {

struct RunStreamsArguments {
  std::vector<std::string> files;
  /// `node1`, `node2:4`; none: this computer, or what Slurm has allocated.
  std::vector<std::string> hosts;
  std::string machine, report, format;
  ProgressStyle progress = ProgressStyle::automatic;
  bool is_dry = false, overwrites = false;
  /// Options for the run of each of them.
  std::vector<std::string> more;
};

/// Admits all of them, or says why not and runs none; then runs and reports. Returns the exit code.
int run_streams(const RunStreamsArguments& arguments, const Command& given);

}  // namespace takt::cli
