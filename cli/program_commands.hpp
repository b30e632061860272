#pragma once
/// Commands for C programs: `takt run PROGRAM.c`, `takt profile PROGRAM.c`, `takt compare PROGRAM.c
/// --execute`.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/progress.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::cli {

/// The options of a run that apply to programs.
struct ProgramRun {
  std::string program, scheduler, machine;
  /// Nothing: one for each processor.
  std::optional<std::size_t> ranks;
  /// Measure calls and messages anew.
  bool is_fresh = false;
};

/// Plans, writes, compiles and runs a program in a temporary folder; returns its exit code. Throws UsageError
/// for options that apply to pipelines only.
[[nodiscard]] int run_program(const ProgramRun& run, const Command& given);

/// `takt compare PROGRAM... --execute`.
struct ProgramComparison {
  std::vector<std::string> programs;
  std::string machine, schedulers, format, output;
  schedulers::Options options;
  /// Nothing: one for each processor.
  std::optional<std::size_t> ranks;
  std::size_t runs = 10;
  std::size_t jobs = 1;
  /// Of each scheduler, in seconds.
  double time_limit = 10;
  bool is_fresh = false;
  ProgressStyle progress = ProgressStyle::none;
};

/// Plans each program by all schedulers, executes the plans and prints planned times next to executed ones;
/// returns the exit code.
[[nodiscard]] int compare_programs(const ProgramComparison& comparison);

/// Measures the calls of a program, prints a table of its procedures with estimates next to the measured
/// times, and writes the profile.
[[nodiscard]] int profile_program(const std::string& program, const std::string& output,
                                  const Command& given);

}  // namespace takt::cli
