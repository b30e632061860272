#pragma once
/// Writes C and C++ programs with MPI.

#include <string>
#include <vector>

#include "pipeline/frontend/communication/insertion.hpp"
#include "pipeline/frontend/reading/read_program.hpp"

namespace takt::frontend {

struct GeneratedFile {
  /// Relative to the program's folder.
  std::string name;
  std::string text;
};

struct GenerationOptions {
  /// How the schedule was made, for the comment at the top.
  std::string origin;
  /// Insert statements that measure computation and communication of each rank, and the makespan.
  bool times = false;
  /// Execute all calls again and again, on as many inputs as the argument of the program says. A rank goes on
  /// with the next input while others work on this one.
  bool repeats = false;
};

/// Returns a program in the language of the given one, with a routine for each rank, a Makefile, a
/// CMakeLists.txt, and the headers that the program includes from its own folder. The program needs MPI and
/// nothing of takt. Its output equals that of the sequential program. Throws ConfigError for messages of 2
/// GiB or more.
[[nodiscard]] std::vector<GeneratedFile> generate_mpi(const ReadProgram& program,
                                                      const ParallelProgram& parallel,
                                                      const GenerationOptions& options);

/// Returns the program as it was read, with its parameters and headers.
[[nodiscard]] std::vector<GeneratedFile> generate_sequential(const ReadProgram& program);

/// Adds the headers that the program includes from its own folder, and those that they include.
void add_headers(const ReadProgram& program, std::vector<GeneratedFile>& files);

/// Returns the statements before main with which generated programs send and receive, for measurements.
[[nodiscard]] std::string message_helpers();

/// Returns a sequential C program that writes to the file named by its argument the time of its clock alone,
/// then that of each call, in nanoseconds, a line each.
[[nodiscard]] std::vector<GeneratedFile> generate_profiler(const ReadProgram& program);

}  // namespace takt::frontend
