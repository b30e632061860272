#pragma once
/// Of the times that frames take to a sink.

#include <cstdint>
#include <optional>

#include "core/units.hpp"
#include "pipeline/config/latency_limit.hpp"
#include "pipeline/protocol/histogram.hpp"

namespace takt::pipeline {

/// From a frame's ingestion to its end in a sink; nothing where none came to one.
struct LatencyQuantiles {
  std::optional<Time> p50, p90, p99, max;
  std::uint64_t frames = 0;

  /// Whether they are more than what one frame or another happened to take: where those of a sink scatter by
  /// a quarter, the median of so many is known to 7 %.
  [[nodiscard]] bool are_of_several() const { return frames >= 20; }
  [[nodiscard]] std::optional<Time> at(Quantile quantile) const;
};

[[nodiscard]] LatencyQuantiles quantiles_of(const Distribution& latency);

/// Each where it is longer: of the slower of two sinks; the frames of both.
[[nodiscard]] LatencyQuantiles longer(const LatencyQuantiles& a, const LatencyQuantiles& b);

}  // namespace takt::pipeline
