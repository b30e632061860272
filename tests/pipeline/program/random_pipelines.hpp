#pragma once
/// Random pipelines and their task graphs, for programs that are not run.

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/graphs/task_graph.hpp"
#include "pipeline/config/pipeline.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {

/// Returns a stage; nothing depends on its type and parameters.
inline Stage stage_of(StageKind kind, const std::string& name, std::vector<std::size_t> inputs,
                      FrameType output) {
  static const Pipeline any =
      load("sources: {s: {type: synthetic, axes: [time=4]}}\nsinks: {o: {type: 'null', input: s}}\n");
  Stage stage = any.stages.front();
  stage.kind = kind;
  stage.name = name;
  stage.type = "pass";
  stage.inputs = std::move(inputs);
  stage.output = std::move(output);
  return stage;
}

/// Returns stages with random inputs, frames and distribution axes; the first is a source, the last a sink.
inline Pipeline random_pipeline(std::mt19937& random) {
  const auto upto = [&](std::size_t most) { return 1 + random() % most; };
  Pipeline pipeline;
  const std::size_t count = 3 + random() % 6;
  for (std::size_t i = 0; i < count; ++i) {
    const StageKind kind = i == 0 ? StageKind::source : i + 1 == count ? StageKind::sink : StageKind::kernel;
    Stage stage = stage_of(kind, fmt::format("t{}", i), {}, {});
    stage.output.element = ElementType::float32;
    for (std::size_t d = upto(3); d > 0; --d) stage.output.axes.push_back({"axis", 4 + upto(4), {}});
    stage.stateless = random() % 3 > 0;
    if (i > 0) stage.inputs.push_back(random() % i);
    if (i > 1 && stage.kind == StageKind::kernel && random() % 2 == 0) stage.inputs.push_back(random() % i);
    if (stage.kind == StageKind::sink) stage.output = pipeline.stages[stage.inputs.front()].output;
    if (stage.kind == StageKind::kernel && random() % 4 > 0) {
      BlockDistribution distribution{.output = random() % stage.output.axes.size(), .most_members = 5};
      for (const std::size_t input : stage.inputs)
        distribution.inputs.push_back(random() % pipeline.stages[input].output.axes.size());
      stage.distribution = distribution;
    }
    pipeline.stages.push_back(stage);
  }
  pipeline.deployment.ranks = 5;
  return pipeline;
}

/// Returns times for which groups pay, hardly pay, or do not pay.
inline TaskGraph random_graph(const Pipeline& pipeline, std::mt19937& random) {
  std::vector<Time> alone;
  std::vector<std::vector<MoldableProfile::Point>> groups;
  for (const Stage& stage : pipeline.stages) {
    alone.emplace_back(stage.kind == StageKind::kernel ? random() % 4 * 100'000 : random() % 2 * 1000);
    std::vector<MoldableProfile::Point>& points = groups.emplace_back();
    for (std::uint32_t p = 2; p <= 5 && stage.distribution; ++p)
      points.push_back({p, alone.back() * 10 / (9 * p)});
  }
  return pipeline.task_graph(alone, groups);
}

}  // namespace takt::pipeline::test
