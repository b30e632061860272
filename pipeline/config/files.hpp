#pragma once
/// Checks the files that a pipeline reads and writes.

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/config/draft.hpp"

namespace takt::pipeline {

/// A file used by something other than a stage, with its role: `it is the machine file`.
struct OtherFile {
  std::filesystem::path path;
  std::string role;
};

/// Reports stages that would overwrite a file of the pipeline itself, an input or another stage's output,
/// under any name (links are followed). Skips broken drafts.
void check_overwriting(const std::vector<Draft>& drafts, const KernelRegistry& kernels,
                       const std::vector<OtherFile>& others, ErrorList& errors);

/// A file that a stage reads or writes.
struct StageFile {
  std::size_t stage = 0;
  std::filesystem::path path;
  bool is_written = false;
  SourceLocation where;
};

/// Returns the files of all stages, including those that sinks write in addition to their own.
[[nodiscard]] std::vector<StageFile> stage_files(const Pipeline& pipeline);

/// Returns true if two names denote one file (links are followed), whether it exists or not.
[[nodiscard]] bool are_same_file(const std::filesystem::path& a, const std::filesystem::path& b);
/// A file that a run reads.
struct ReadFile {
  std::filesystem::path path;
  /// True if it defines the run (the pipeline, a plug-in, a machine) rather than being processed.
  bool is_own = false;
};

/// Returns all files that ranks of the pipeline may read: its own, then those of its sources and kernels.
[[nodiscard]] std::vector<ReadFile> files_read_by(const Pipeline& pipeline);

/// A file that a command-line option names, such as `--profile`.
struct OptionFile {
  std::string option;
  std::filesystem::path path;
  bool is_written = false;
};

/// Checks that a run on this computer can read all recordings, can write all outputs, and overwrites none of
/// its files, including those of options. Opens and changes nothing. Adds an error at the place of each file
/// that is missing, is a directory, is not accessible, holds output of an earlier run, or is being written by
/// another run.
void check_files(const Pipeline& pipeline, const std::vector<OptionFile>& options, ErrorList& errors);

}  // namespace takt::pipeline
