#include "pipeline/config/pipeline.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "pipeline/calls/frames_in_flight.hpp"
#include "pipeline/calls/several_outputs.hpp"
#include "pipeline/watching/activity.hpp"
#include "sensors/backlog/backlogged_sink.hpp"
#include "sensors/backlog/backlogged_source.hpp"

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
  std::optional<Frequency> slowest;
  for (const std::size_t source : sources()) {
    const Stage& stage = stages[source];
    const double hertz = stage.output.rate_hz * kernels.find_source(stage.type)->pace(stage.parameters);
    if (hertz > 0 && (!slowest || hertz < slowest->hertz)) slowest = Frequency{hertz};
  }
  return slowest;
}

std::vector<std::size_t> Pipeline::sources() const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < stages.size(); ++i)
    if (stages[i].kind == StageKind::source) found.push_back(i);
  return found;
}

void Pipeline::keep_ends_on_one_rank() {
  for (Stage& stage : stages)
    if (stage.kind != StageKind::kernel) stage.stateless = false;
}

void Pipeline::keep_states_on_one_rank() {
  for (Stage& stage : stages) stage.travelling = Bytes{0};
}

void Pipeline::keep_whole(std::span<const TaskId> tasks) {
  for (const TaskId task : tasks) stages[task.index()].separable.clear();
}

sensors::GroupOptions Pipeline::group_options() const {
  const std::vector<std::size_t> members = sources();
  return {.members = members.size(),
          .frame_ns = 1e9 / stages[members.front()].output.rate_hz,
          .wait_ns = joining.wait.count(),
          .longest_gap_ns = joining.longest_gap.count()};
}

namespace {

/// Returns the profile from measured times, without group sizes that are no faster than smaller ones; nothing
/// if none remains.
Boxed<MoldableProfile> moldable_profile(Time alone, const std::vector<MoldableProfile::Point>& groups,
                                        std::size_t most) {
  std::vector<MoldableProfile::Point> points{{1, alone}};
  for (const MoldableProfile::Point& point : groups)
    if (point.processors <= most) points.push_back(point);
  points = monotone_hull(std::move(points));
  while (points.size() > 1 && points.back().time == points[points.size() - 2].time) points.pop_back();
  if (points.size() == 1) return {};
  return MoldableProfile{.points = std::move(points)};
}

}  // namespace

std::uint64_t Stage::iterations_held(std::uint32_t replicas) const {
  return static_cast<std::uint64_t>(std::ceil(lag / replicas));
}

double Pipeline::calls_a_frame(std::size_t stage) const {
  const std::vector<std::size_t>& inputs = stages.at(stage).inputs;
  // The trigger of a sink is not written.
  const std::size_t taken =
      stages[stage].kind == StageKind::sink ? std::min<std::size_t>(inputs.size(), 1) : inputs.size();
  double calls = 1;
  for (const std::size_t input : std::span(inputs).first(taken)) calls = std::min(calls, stages[input].gives);
  return calls;
}

TaskGraph Pipeline::task_graph(const std::vector<Time>& costs,
                               const std::vector<std::vector<MoldableProfile::Point>>& groups,
                               const std::vector<std::vector<Time>>& by_rank) const {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const double calls = calls_a_frame(i);
    const auto of_frame = [calls](Time of_call) {
      return Time(std::llround(calls * static_cast<double>(of_call.count())));
    };
    Boxed<MoldableProfile> profile;
    if (!groups.empty()) {
      std::vector<MoldableProfile::Point> points = groups.at(i);
      for (MoldableProfile::Point& point : points) point.time = of_frame(point.time);
      profile = moldable_profile(of_frame(costs.at(i)), points, most_members(i));
    }
    builder.add_task({stages[i].name, of_frame(costs.at(i)), stages[i].stateless, std::move(profile)});
    if (by_rank.empty() || by_rank.at(i).empty()) continue;
    std::vector<Time> row;
    for (const Time time : by_rank[i]) row.push_back(of_frame(time));
    builder.set_work_table(TaskId(i), row);
  }

  std::vector<std::optional<DatumId>> outputs(stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::vector<std::size_t>& inputs = stages[i].inputs;
    for (auto input = inputs.begin(); input != inputs.end(); ++input) {
      // A frame that is used twice is sent once, and all consumers share it.
      if (std::find(inputs.begin(), input, *input) != input) continue;
      if (!outputs[*input])
        outputs[*input] =
            builder.add_datum(TaskId(*input), stages[*input].output.size() + Bytes{sizeof(FrameHeader)});
      builder.add_edge(*outputs[*input], TaskId(i));
    }
  }
  return std::move(builder).build();
}

namespace {

/// Returns the number of a source among the sources.
std::size_t number_of(const Pipeline& pipeline, std::size_t stage) {
  return static_cast<std::size_t>(
      std::ranges::count(std::span(pipeline.stages).first(stage), StageKind::source, &Stage::kind));
}

std::unique_ptr<Kernel> configured(decltype(KernelKind::make) make, const Parameters& parameters,
                                   const std::vector<FrameType>& inputs, Tasks& tasks) {
  std::unique_ptr<Kernel> kernel = make(parameters);
  (void)kernel->configure(inputs);
  kernel->use_tasks(tasks);
  return kernel;
}

/// Makes an asynchronous kernel with its frames in flight.
std::unique_ptr<Kernel> make_in_flight(const KernelKind& kind, const Parameters& parameters,
                                       const Stage& task, const std::vector<FrameType>& inputs,
                                       Tasks& tasks) {
  // The kernel may outlive the pipeline.
  const auto make = [make = kind.make, inputs, &tasks](const Parameters& values) {
    std::unique_ptr<Kernel> kernel = configured(make, values, inputs, tasks);
    auto& asynchronous = dynamic_cast<AsynchronousKernel&>(*kernel);
    (void)kernel.release();
    return std::unique_ptr<AsynchronousKernel>(&asynchronous);
  };
  std::unique_ptr<AsynchronousKernel> kernel = make(parameters);
  const bool is_stateless = kind.stateless || kernel->is_stateless();
  return std::make_unique<FramesInFlight>(std::move(kernel), inputs, task.output, is_stateless, make);
}

/// Makes a source without joining.
std::unique_ptr<sensors::Source> make_own(const Pipeline& pipeline, std::size_t stage) {
  const Stage& source = pipeline.stages.at(stage);
  const AtOtherWork at_work(source.name, Deadline::set_up);
  auto own = pipeline.kernels.find_source(source.type)
                 ->make(source.parameters, static_cast<std::uint32_t>(number_of(pipeline, stage)));
  if (!source.backlog) return own;
  return std::make_unique<sensors::BackloggedSource>(std::move(own), *source.backlog);
}

}  // namespace

std::size_t Pipeline::most_members(std::size_t stage) const {
  const std::optional<BlockDistribution>& distribution = stages.at(stage).distribution;
  return distribution ? distribution->most_members : 1;
}

std::unique_ptr<sensors::Source> Pipeline::make_source(std::size_t stage) const {
  if (joins_sources()) return make_joined_source(stage);
  return make_own(*this, stage);
}

std::unique_ptr<sensors::JoinedSource> Pipeline::make_joined_source(
    std::size_t stage, std::unique_ptr<sensors::Source> own) const {
  sensors::GroupOptions alone = group_options();
  alone.members = 1;
  alone.wait_ns = 0;
  return std::make_unique<sensors::JoinedSource>(own ? std::move(own) : make_own(*this, stage),
                                                 stages.at(stage).output, alone, sensors::JoinedOptions{});
}

std::unique_ptr<sensors::JoinedSource> Pipeline::make_joined_source(
    std::size_t stage, sensors::SourceGroup& group, std::int64_t clock_offset_ns,
    std::unique_ptr<sensors::Source> own) const {
  const Stage& source = stages.at(stage);
  return std::make_unique<sensors::JoinedSource>(
      own ? std::move(own) : make_own(*this, stage), source.output, group,
      sensors::JoinedOptions{.member = number_of(*this, stage),
                             .delay_ns = source.delay.count(),
                             .is_live = kernels.find_source(source.type)->is_live,
                             .clock_offset_ns = clock_offset_ns});
}

std::unique_ptr<Kernel> Pipeline::make_kernel(std::size_t stage) const {
  return make_kernel(stage, stages.at(stage).parameters);
}

std::unique_ptr<Kernel> Pipeline::make_kernel(std::size_t stage, const Parameters& parameters) const {
  const Stage& task = stages.at(stage);
  if (task.port) return port_kernel(task.outputs, *task.port);
  const AtOtherWork at_work(task.name, Deadline::set_up);
  std::vector<FrameType> inputs;
  for (std::size_t input : task.inputs) inputs.push_back(stages[input].output);
  const KernelKind& kind = *kernels.find(task.type);
  if (task.depth > 0) return make_in_flight(kind, parameters, task, inputs, *tasks);
  std::unique_ptr<Kernel> kernel = configured(kind.make, parameters, inputs, *tasks);
  if (task.outputs.empty()) return kernel;
  (void)kernel->further_outputs();
  return packing_kernel(std::move(kernel), task.outputs);
}

std::unique_ptr<Kernel> Pipeline::make_kernel(std::size_t stage, const Parameters& parameters,
                                              const FrameType& input, FrameType& output) const {
  const AtOtherWork at_work(stages.at(stage).name, Deadline::set_up);
  std::unique_ptr<Kernel> kernel = kernels.find(stages.at(stage).type)->make(parameters);
  output = kernel->configure(std::span(&input, 1));
  kernel->use_tasks(*tasks);
  return kernel;
}

std::unique_ptr<sensors::Sink> Pipeline::make_sink(std::size_t stage) const {
  const Stage& sink = stages.at(stage);
  const AtOtherWork at_work(sink.name, Deadline::set_up);
  auto own = kernels.find_sink(sink.type)->make(
      overwrites ? sink.parameters.with("overwrite", "true") : sink.parameters, sink.output);
  if (sink.transient)
    own = std::make_unique<sensors::TransientSink>(std::move(own), sink.output, *sink.transient);
  if (!sink.backlog) return own;
  return std::make_unique<sensors::BackloggedSink>(std::move(own), sink.output, *sink.backlog);
}

std::unique_ptr<sensors::Sink> Pipeline::make_sink(std::size_t stage, const std::string& path) const {
  const Stage& sink = stages.at(stage);
  const AtOtherWork at_work(sink.name, Deadline::set_up);
  const Parameters trial = sink.parameters.with_output_file(path)
                               .with("overwrite", "true")
                               .without("flags", "mask")
                               .with("rotate_size", "0")
                               .with("rotate_every", "0")
                               .with("sync", "0");
  return kernels.find_sink(sink.type)->make(trial, sink.output);
}

}  // namespace takt::pipeline
