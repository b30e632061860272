#include "pipeline/program/layout.hpp"

#include <algorithm>

#include "pipeline/program/shared_places.hpp"

namespace takt::pipeline {

namespace {

/// The last step that uses the output which the step at `made` makes.
std::size_t last_use(const Pipeline& pipeline, const RankProgram& program, std::size_t made) {
  std::size_t last = made;
  for (std::size_t i = made + 1; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    if (step.instance != program.steps[made].instance) continue;
    const std::size_t stage = program.steps[made].index;
    const bool reads = step.kind == OperationKind::compute &&
                       std::ranges::count(pipeline.stages[step.index].inputs, stage) > 0;
    const bool sends =
        step.kind == OperationKind::send &&
        std::ranges::count(program.sends[step.index].parts, stage, &ChannelPlan::Part::stage) > 0;
    if (reads || sends) last = i;
  }
  return last;
}

}  // namespace

bool keeps_frames(const Pipeline& pipeline, const RankProgram& program, std::size_t stage) {
  return pipeline.stages[stage].kind == StageKind::source && program.instances > 1;
}

Layout lay_out(const Pipeline& pipeline, const RankProgram& program) {
  Layout layout;
  layout.homes.resize(program.instances * pipeline.stages.size());
  const auto slot = [&](const Step& step) { return step.instance * pipeline.stages.size() + step.index; };
  for (const Stage& stage : pipeline.stages)
    layout.place_size = std::max(layout.place_size, stage.output.size());

  std::vector<std::size_t> own;
  std::vector<Lifetime> lifetimes;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    if (step.kind != OperationKind::compute) continue;
    const bool makes =
        pipeline.stages[step.index].kind == StageKind::kernel || keeps_frames(pipeline, program, step.index);
    if (!makes) continue;
    std::optional<Home>& home = layout.homes[slot(step)];
    home.emplace();
    for (std::size_t c = 0; c < program.sends.size() && !home->channel; ++c) {
      const ChannelPlan& channel = program.sends[c];
      const auto part = std::ranges::find(channel.parts, step.index, &ChannelPlan::Part::stage);
      if (channel.instance != step.instance || part == channel.parts.end()) continue;
      home->channel = c;
      home->offset = part->offset;
    }
    if (home->channel) continue;
    own.push_back(slot(step));
    lifetimes.push_back({i, last_use(pipeline, program, i)});
  }
  const std::vector<std::size_t> places = share_places(lifetimes);
  for (std::size_t i = 0; i < own.size(); ++i) layout.homes[own[i]]->place = places[i];
  layout.places = places.empty() ? 0 : *std::ranges::max_element(places) + 1;
  return layout;
}

Bytes memory_of(const Pipeline& pipeline, const RankProgram& program) {
  const Layout layout = lay_out(pipeline, program);
  Bytes memory{layout.places * layout.place_size.count};
  for (const auto* channels : {&program.sends, &program.receives})
    for (const ChannelPlan& channel : *channels) memory += Bytes{pipeline.deployment.depth * channel.bytes};
  return memory;
}

}  // namespace takt::pipeline
