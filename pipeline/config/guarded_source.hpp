#pragma once
/// Makes sources whose libraries may crash on damaged files.

#include <memory>

#include "pipeline/stage_kinds.hpp"

namespace takt::pipeline {

/// Makes a source to learn about its recording. For HDF5 and FITS, whose libraries may crash on damaged
/// files, a child process makes it first: a crash, or more than ten seconds of processor time, becomes a
/// ConfigError at the parameter `file`. Other errors are those of SourceKind::make.
[[nodiscard]] std::unique_ptr<sensors::Source> make_guarded(const SourceKind& kind,
                                                            const Parameters& parameters);

}  // namespace takt::pipeline
