#include "pipeline/planning/device_charge.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace takt::pipeline {

namespace {

void limit_throughput(const Pipeline& pipeline, const std::vector<StageCost>& costs, RunPlan& summary) {
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const Stage& stage = pipeline.stages[i];
    if (stage.depth == 0 || costs[i].interval == Time{0}) continue;
    const double hertz = 1e9 / (static_cast<double>(costs[i].interval.count()) * pipeline.calls_a_frame(i));
    summary.notes.push_back(fmt::format(
        "'{}' works outside of its rank on up to {} frames: {} for a frame, at most {}", stage.name,
        stage.depth, takt::to_string(costs[i].latency), takt::to_string(Frequency{hertz})));
    if (hertz >= summary.predicted_hz) continue;
    for (double& busy : summary.predicted_busy) busy *= hertz / summary.predicted_hz;
    summary.predicted_hz = hertz;
    summary.limit = fmt::format("what '{}' does outside of its rank takes {} per frame", stage.name,
                                takt::to_string(costs[i].interval));
  }
}

void add_latencies(const Pipeline& pipeline, const std::vector<StageCost>& costs, RunPlan& summary) {
  double frame_ns = 1e9 / summary.predicted_hz;
  if (const std::optional<Frequency> rate = pipeline.source_rate())
    frame_ns = std::max(frame_ns, 1e9 / rate->hertz);
  // Stages come after their inputs.
  std::vector<Time> added, latencies;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const Stage& stage = pipeline.stages[i];
    Time sum{0};
    for (const std::size_t input : stage.inputs) sum = std::max(sum, added[input]);
    if (stage.depth > 0) {
      const Time held(std::llround(static_cast<double>(stage.depth) * frame_ns / pipeline.calls_a_frame(i)));
      sum += std::max(held, costs.empty() ? Time{0} : costs[i].latency);
    }
    added.push_back(sum);
    const Time before(summary.stages[i].latency_ns);
    latencies.push_back(before == Time{0} ? before : before + sum);
  }
  set_latencies(latencies, summary);
}

}  // namespace

void charge_devices(const Pipeline& pipeline, const std::vector<StageCost>& costs, RunPlan& summary) {
  if (std::ranges::all_of(pipeline.stages, [](const Stage& stage) { return stage.depth == 0; })) return;
  limit_throughput(pipeline, costs, summary);
  add_latencies(pipeline, costs, summary);
}

}  // namespace takt::pipeline
