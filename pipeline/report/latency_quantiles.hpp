#pragma once
/// Of the times that frames take to a sink.

#include <optional>

#include "core/units.hpp"
#include "pipeline/engine/histogram.hpp"

namespace takt::pipeline {

/// From a frame's ingestion to its end in a sink; nothing where none came to one.
struct LatencyQuantiles {
  std::optional<Time> p50, p90, p99, max;
};

[[nodiscard]] LatencyQuantiles quantiles_of(const Distribution& latency);

/// Each where it is longer: of the slower of two sinks.
[[nodiscard]] LatencyQuantiles longer(const LatencyQuantiles& a, const LatencyQuantiles& b);

}  // namespace takt::pipeline
