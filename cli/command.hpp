#pragma once
/// The sub-commands of `takt`: one file each, which parses arguments, calls the libraries and prints.

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "pipeline/config/pipeline.hpp"

namespace takt::cli {

/// The program while it parses: a sub-command's callback does the work and sets the exit code.
struct Program {
  CLI::App app{"Stream processing for sensor networks, scheduled for the highest sustained frequency.",
               "takt"};
  /// 0 done, 1 the work failed or a check found violations; usage and configuration errors are thrown.
  int exit_code = 0;
  /// Program and arguments as given, for sub-commands that start themselves again as MPI ranks.
  std::vector<std::string> command_line;
};

void add_calibrate(Program& program);
void add_compare(Program& program);
void add_graph(Program& program);
void add_list(Program& program);
void add_plan(Program& program);
void add_profile(Program& program);
void add_run(Program& program);
void add_send(Program& program);
void add_simulate(Program& program);
void add_verify(Program& program);
void add_view(Program& program);

/// `--set path=value` texts, taken apart. Throws ConfigError.
[[nodiscard]] std::vector<pipeline::Override> parse_overrides(const std::vector<std::string>& texts);

}  // namespace takt::cli
