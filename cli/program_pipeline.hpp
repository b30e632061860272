#pragma once
/// C programs as pipelines of takt: `takt parallelise --pipeline`, `takt run PROGRAM.c --frames N`.

#include <cstddef>
#include <filesystem>
#include <string>

#include "pipeline/frontend/reading/command.hpp"

namespace takt::cli {

/// Writes the pipeline of a program into a folder, and prints how to run it; returns the exit code. Throws
/// ProgramError for a program that cannot be one.
[[nodiscard]] int write_pipeline(const std::string& program, const std::string& folder, std::size_t ranks,
                                 bool overwrites);

/// The pipeline of a program in a temporary folder.
class ProgramPipeline {
 public:
  /// Writes and compiles it. The inputs of a program that reads stdin are what takt reads there.
  explicit ProgramPipeline(const std::string& program);

  /// Returns the pipeline's file.
  [[nodiscard]] std::string file() const;
  /// Prints on stdout what the program has printed.
  void print_output() const;

 private:
  frontend::TemporaryFolder folder_;
  std::string output_;
};

}  // namespace takt::cli
