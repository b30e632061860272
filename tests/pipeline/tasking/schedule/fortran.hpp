#pragma once
/// Compiles Fortran programs with gfortran and runs them with libtakt_schedule.

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/program.hpp"

namespace takt::test {

/// Numbers of workers that programs are run with.
inline constexpr int worker_counts[] = {1, 2, 4, 7};

[[nodiscard]] bool has_gfortran();

/// A program that was compiled in a folder of its own.
class FortranProgram {
 public:
  /// `source` is fixed form, or free form where it begins with `!` or "program". Adds a failure when it does
  /// not compile.
  explicit FortranProgram(const std::string& source);

  /// Runs it with these numbers on standard input; with this trace file where one is named.
  /// Also with these settings of the environment (`NAME=value`).
  [[nodiscard]] Result run(const std::string& input, const std::string& trace = "",
                           const std::string& settings = "") const;
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }

 private:
  TemporaryFolder folder_;
};

/// The events of a trace, with T in the place of times.
[[nodiscard]] std::string without_times(const std::string& trace);

}  // namespace takt::test
