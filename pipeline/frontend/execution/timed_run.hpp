#pragma once
/// Runs of a program with inserted time measurements.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"
#include "pipeline/frontend/communication/insertion.hpp"
#include "pipeline/frontend/reading/command.hpp"
#include "pipeline/frontend/reading/read_program.hpp"

namespace takt::frontend {

/// One run of a program on its ranks.
struct TimedRun {
  /// From the common begin to the end of the last rank.
  Time makespan{0};
  /// Of all ranks together: time in calls; time in sends and receives, waits included.
  Time computing{0};
  Time communicating{0};
  /// What it printed on standard output.
  std::string output;
};

/// Reads the lines `rank N: T s, computing T s, communicating T s` of a program with times. Throws WorkError
/// if a rank's line is missing.
[[nodiscard]] TimedRun times_from_text(std::string_view text, std::size_t ranks);

/// A program, written and compiled once, for several runs.
class TimedProgram {
 public:
  /// Throws WorkError if it cannot be compiled.
  TimedProgram(const ReadProgram& program, const ParallelProgram& parallel);

  /// Throws WorkError if it fails.
  [[nodiscard]] TimedRun run() const;

 private:
  TemporaryFolder folder_;
  std::string name_;
  std::size_t ranks_;
};

/// Compiles and runs the sequential program; returns what it prints. Throws WorkError if it fails.
[[nodiscard]] std::string sequential_output(const ReadProgram& program);

}  // namespace takt::frontend
