#include "pipeline/planning/deep_queues.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace takt::pipeline {

namespace {

constexpr double longest_pause_s = 0.2;
constexpr double most_bytes = 128 << 20;
/// What `depth` allows.
constexpr double most_frames = 4096;

bool is_written(const Parameters& parameters, std::string_view name) {
  const SourceLocation &value = parameters.where(name), &whole = parameters.where();
  return value.line != whole.line || value.column != whole.column;
}

}  // namespace

void deepen_queues(Pipeline& pipeline) {
  for (const std::size_t source : pipeline.sources()) {
    Stage& stage = pipeline.stages[source];
    if (!stage.parameters.has("depth") || is_written(stage.parameters, "depth")) continue;
    double hertz = stage.output.rate_hz * pipeline.kernels.find_source(stage.type)->pace(stage.parameters);
    if (hertz <= 0 && pipeline.required_rate()) hertz = pipeline.required_rate()->hertz;
    const double bytes = static_cast<double>(std::max<std::uint64_t>(stage.output.size().count, 1));
    const double frames = std::min({longest_pause_s * hertz, most_bytes / bytes, most_frames});
    const auto depth = static_cast<std::int64_t>(std::ceil(frames));
    if (depth > stage.parameters.integer("depth"))
      stage.parameters = stage.parameters.with("depth", std::to_string(depth));
  }
}

}  // namespace takt::pipeline
