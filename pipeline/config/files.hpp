#pragma once
/// The files that a pipeline reads and writes.

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/config/draft.hpp"

namespace takt::pipeline {

/// A file that something else than a stage reads or writes, and what that is: `it is the machine file`.
struct OtherFile {
  std::filesystem::path path;
  std::string role;
};

/// No stage may write over what the pipeline is made of, what another stage reads, or what another one
/// writes, under whichever name (links are followed). Broken drafts are passed over.
void check_overwriting(const std::vector<Draft>& drafts, const KernelRegistry& kernels,
                       const std::vector<OtherFile>& others, ErrorList& errors);

/// A file that a stage reads or writes.
struct StageFile {
  std::size_t stage = 0;
  std::filesystem::path path;
  bool is_written = false;
  SourceLocation where;
};

/// Those of all stages, with what sinks write beside their own.
[[nodiscard]] std::vector<StageFile> stage_files(const Pipeline& pipeline);

/// Whether two names lead to one file (links are followed), be it there or not.
[[nodiscard]] bool are_same_file(const std::filesystem::path& a, const std::filesystem::path& b);
/// A file that a run reads.
struct ReadFile {
  std::filesystem::path path;
  /// It says what the run is (the pipeline, a plug-in, a machine), and not what it works on.
  bool is_own = false;
};

/// The files that every rank of the pipeline may read: its own ones, then those of its sources and kernels.
[[nodiscard]] std::vector<ReadFile> files_read_by(const Pipeline& pipeline);

/// A file that an option of the command line names, such as `--profile`.
struct OptionFile {
  std::string option;
  std::filesystem::path path;
  bool is_written = false;
};

/// Whether a run on this computer can read all recordings and write all outputs, and none of its files is
/// written over another one, those of options included. Opens and changes nothing. Adds the place of every
/// file that is missing, is a folder, may not be used, holds what an earlier run has written, or is being
/// written by another run.
void check_files(const Pipeline& pipeline, const std::vector<OptionFile>& options, ErrorList& errors);

}  // namespace takt::pipeline
