#pragma once
/// Writes a program as a pipeline of takt.

#include <cstddef>
#include <string>
#include <vector>

#include "pipeline/frontend/generation/call_units.hpp"
#include "pipeline/frontend/generation/mpi_program.hpp"
#include "pipeline/frontend/reading/read_program.hpp"

namespace takt::frontend {

struct PipelineOptions {
  /// How it was made, for the comments at the top.
  std::string origin;
  std::size_t ranks = 1;
  /// In front of the names of the files that a run writes: a folder with its slash, or nothing.
  std::string outputs = {};
};

/// Returns the name of the file with the successive inputs of a program that reads stdin.
inline constexpr const char* inputs_name = "input.txt";
/// Returns the name of the text file with what the program prints.
[[nodiscard]] std::string output_name(const Program& program);

/// Returns the library of the program's calls, as C or C++, a Makefile and a CMakeLists.txt for it,
/// `pipeline.yaml` with a task for each call, and the headers that the program includes from its own folder.
/// Each frame is one input of the program. What its last calls print goes to a text file; what calls make
/// that no call reads, to raw files.
[[nodiscard]] std::vector<GeneratedFile> generate_pipeline(const ReadProgram& program, const CallUnits& units,
                                                           const PipelineOptions& options);

}  // namespace takt::frontend
