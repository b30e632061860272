#include "pipeline/planning/deep_queues.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "pipeline/constants.hpp"

namespace takt::pipeline {

namespace {

constexpr double most_bytes = 128 << 20;
/// Largest valid `depth`.
constexpr double most_frames = 4096;

bool is_written(const Parameters& parameters, std::string_view name) {
  const SourceLocation &value = parameters.where(name), &whole = parameters.where();
  return value.line != whole.line || value.column != whole.column;
}

/// Returns the frames that enter the queue of a source in this time.
double frames_in(double seconds, const Pipeline& pipeline, const Stage& source) {
  double hertz = source.output.rate_hz * pipeline.kernels.find_source(source.type)->pace(source.parameters);
  if (hertz <= 0 && pipeline.required_rate()) hertz = pipeline.required_rate()->hertz;
  return seconds * hertz;
}

/// Sets at least this depth, unless the user has set one, within the limit of memory.
void deepen(Stage& source, double frames) {
  if (!source.parameters.has("depth") || is_written(source.parameters, "depth")) return;
  const double bytes = static_cast<double>(std::max<std::uint64_t>(source.output.size().count, 1));
  const auto depth =
      static_cast<std::int64_t>(std::ceil(std::min({frames, most_bytes / bytes, most_frames})));
  if (depth > source.parameters.integer("depth"))
    source.parameters = source.parameters.with("depth", std::to_string(depth));
}

/// Returns the longest time of a rank for one frame, for infrequent expensive frames.
double longest_pause_s(const RunPlan& plan) {
  std::vector<double> pauses_ns(plan.ranks);
  for (const PlannedStage& stage : plan.stages)
    for (const std::size_t rank : stage.ranks)
      if (stage.calls_a_frame < 1) pauses_ns[rank] += static_cast<double>(stage.cost_ns);
  return std::ranges::max(pauses_ns) / 1e9;
}

/// Returns the depth for a burst of frames: in addition to the usual depth, twice the burst, because other
/// processes may delay the rank meanwhile.
double with_room(double frames, const Stage& source) {
  return static_cast<double>(source.parameters.integer("depth")) + 2 * frames;
}

}  // namespace

void deepen_queues(Pipeline& pipeline) {
  for (const std::size_t source : pipeline.sources()) {
    Stage& stage = pipeline.stages[source];
    deepen(stage, frames_in(pause_of_change_s, pipeline, stage));
  }
}

void deepen_queues(Pipeline& pipeline, const RunPlan& plan) {
  for (const std::size_t source : pipeline.sources()) {
    Stage& stage = pipeline.stages[source];
    if (!stage.parameters.has("depth")) continue;
    const double frames = frames_in(longest_pause_s(plan), pipeline, stage);
    if (frames >= 1) deepen(stage, with_room(frames, stage));
  }
}

void note_queues(const Pipeline& pipeline, RunPlan& plan) {
  for (const std::size_t source : pipeline.sources())
    if (const Parameters& parameters = pipeline.stages[source].parameters; parameters.has("depth"))
      plan.stages[source].queue_frames = static_cast<std::uint64_t>(parameters.integer("depth"));
}

void note_short_queues(const Pipeline& pipeline, RunPlan& plan) {
  const double pause_s = longest_pause_s(plan);
  Pipeline deepened = pipeline;
  deepen_queues(deepened, plan);
  for (const std::size_t source : deepened.sources()) {
    const Stage& stage = deepened.stages[source];
    if (!stage.parameters.has("depth")) continue;
    const double frames = std::ceil(frames_in(pause_s, pipeline, stage));
    const std::int64_t depth = stage.parameters.integer("depth");
    if (frames <= static_cast<double>(depth)) continue;
    const double wanted = with_room(frames, pipeline.stages[source]);
    plan.notes.push_back(
        fmt::format("one frame may occupy a rank for {}, in which {:.0f} more arrive: '{}' buffers {} and "
                    "drops the others; {}",
                    takt::to_string(Time(std::llround(1e9 * pause_s))), frames, stage.name, depth,
                    wanted <= most_frames ? fmt::format("'depth: {:.0f}' buffers them all", wanted)
                                          : fmt::format("the largest 'depth' is {}", most_frames)));
  }
}

}  // namespace takt::pipeline
