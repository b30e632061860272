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

/// Whether a run on this computer can read all recordings and write all outputs, and does not write over the
/// profile that it reads or with the report (empty: there is none). Opens and changes nothing. Throws one
/// ConfigError with the place of every file that is missing, is a folder, or may not be used.
void check_files(const Pipeline& pipeline, const std::filesystem::path& profile,
                 const std::filesystem::path& report);

}  // namespace takt::pipeline
