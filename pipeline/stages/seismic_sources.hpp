#pragma once
/// Sources of seismic traces.

#include "pipeline/stage_kinds.hpp"

namespace takt::pipeline {

[[nodiscard]] SourceKind mseed_file_source();
[[nodiscard]] SourceKind seedlink_source();

}  // namespace takt::pipeline
