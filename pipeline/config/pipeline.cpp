#include "pipeline/config/pipeline.hpp"

#include <algorithm>

namespace takt::pipeline {

std::string_view name_of(StageKind kind) {
  switch (kind) {
    case StageKind::source:
      return "source";
    case StageKind::kernel:
      return "kernel";
    case StageKind::sink:
      return "sink";
  }
  return "";
}

std::optional<Frequency> Pipeline::required_rate() const {
  if (!goal.rate) return std::nullopt;
  return Frequency{1e9 / goal.rate->period};
}

std::optional<Frequency> Pipeline::source_rate() const {
  for (const Stage& stage : stages) {
    if (stage.kind != StageKind::source) continue;
    const double hertz = stage.output.rate_hz * kernels.find_source(stage.type)->pace(stage.parameters);
    if (hertz > 0) return Frequency{hertz};
  }
  return std::nullopt;
}

TaskGraph Pipeline::task_graph(const std::vector<Time>& costs) const {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < stages.size(); ++i)
    builder.add_task(
        {stages[i].name, costs.at(i), stages[i].kind == StageKind::kernel && stages[i].stateless});

  std::vector<std::optional<DatumId>> outputs(stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i)
    for (std::size_t input : stages[i].inputs) {
      // All consumers share the producer's one frame.
      if (!outputs[input])
        outputs[input] =
            builder.add_datum(TaskId(input), stages[input].output.size() + Bytes{sizeof(FrameHeader)});
      builder.add_edge(*outputs[input], TaskId(i));
    }
  return std::move(builder).build();
}

std::unique_ptr<sensors::Source> Pipeline::make_source(std::size_t stage) const {
  const auto before = std::span(stages).first(stage);
  const auto index = std::ranges::count(before, StageKind::source, &Stage::kind);
  const Stage& source = stages.at(stage);
  return kernels.find_source(source.type)->make(source.parameters, static_cast<std::uint32_t>(index));
}

std::unique_ptr<Kernel> Pipeline::make_kernel(std::size_t stage) const {
  const Stage& task = stages.at(stage);
  std::vector<FrameType> inputs;
  for (std::size_t input : task.inputs) inputs.push_back(stages[input].output);
  std::unique_ptr<Kernel> kernel = kernels.find(task.type)->make(task.parameters);
  (void)kernel->configure(inputs);
  return kernel;
}

std::unique_ptr<Kernel> Pipeline::make_kernel(std::size_t stage, const FrameType& input,
                                              FrameType& output) const {
  const Stage& task = stages.at(stage);
  std::unique_ptr<Kernel> kernel = kernels.find(task.type)->make(task.parameters);
  output = kernel->configure(std::span(&input, 1));
  return kernel;
}

std::unique_ptr<sensors::Sink> Pipeline::make_sink(std::size_t stage) const {
  const Stage& sink = stages.at(stage);
  return kernels.find_sink(sink.type)->make(
      overwrites ? sink.parameters.with("overwrite", "true") : sink.parameters, sink.output);
}

std::unique_ptr<sensors::Sink> Pipeline::make_sink(std::size_t stage, const std::string& path) const {
  const Stage& sink = stages.at(stage);
  const Parameters trial = sink.parameters.with_output_file(path)
                               .with("overwrite", "true")
                               .with("mask", "false")
                               .with("rotate_size", "0")
                               .with("rotate_every", "0")
                               .with("sync", "0");
  return kernels.find_sink(sink.type)->make(trial, sink.output);
}

}  // namespace takt::pipeline
