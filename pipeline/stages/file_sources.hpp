#pragma once
/// Sources that read files of samples.

#include "pipeline/stage_kinds.hpp"

namespace takt::pipeline {

[[nodiscard]] SourceKind raw_file_source();
[[nodiscard]] SourceKind sigproc_file_source();
[[nodiscard]] SourceKind dada_file_source();
[[nodiscard]] SourceKind guppi_file_source();
[[nodiscard]] SourceKind sigmf_file_source();
[[nodiscard]] SourceKind wav_file_source();
[[nodiscard]] SourceKind psrfits_file_source();
[[nodiscard]] SourceKind hdf5_file_source();

}  // namespace takt::pipeline
