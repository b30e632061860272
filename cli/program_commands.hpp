#pragma once
/// Commands for C programs: `takt run PROGRAM.c` and `takt profile PROGRAM.c`.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"

namespace takt::cli {

/// The options of a run that apply to programs.
struct ProgramRun {
  std::string program, scheduler, machine;
  /// Nothing: one for each processor.
  std::optional<std::size_t> ranks;
};

/// Plans, writes, compiles and runs a program in a temporary folder; returns its exit code. Throws UsageError
/// for options that apply to pipelines only.
[[nodiscard]] int run_program(const ProgramRun& run, const Command& given);

/// Measures the calls of a program, prints a table of its procedures with estimates next to the measured
/// times, and writes the profile.
[[nodiscard]] int profile_program(const std::string& program, const std::string& output,
                                  const Command& given);

}  // namespace takt::cli
