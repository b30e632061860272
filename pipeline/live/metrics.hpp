#pragma once
/// A run's figures for Prometheus.

#include <string>

#include "pipeline/protocol/run_record.hpp"

namespace takt::pipeline {

/// Text exposition format 0.0.4: names that begin with `takt_`, base units (seconds, bytes), help and type of
/// each, counters that end in `_total`. Counters never fall while a run goes on. The families are listed in
/// docs/reference/live.md.
[[nodiscard]] std::string to_prometheus(const RunRecord& record);

}  // namespace takt::pipeline
