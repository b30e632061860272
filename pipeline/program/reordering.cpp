#include "pipeline/program/reordering.hpp"

#include <algorithm>
#include <set>
#include <span>

namespace takt::pipeline {

namespace {

/// Returns by stage whether it must process frames in order: sinks, stateful stages, and their
/// successors.
std::vector<bool> ordered_stages(const Pipeline& pipeline) {
  std::vector<bool> is_ordered;
  for (const Stage& stage : pipeline.stages)
    is_ordered.push_back(
        !stage.stateless || stage.kind == StageKind::sink ||
        std::ranges::any_of(stage.inputs, [&](std::size_t input) { return is_ordered[input]; }));
  return is_ordered;
}

}  // namespace

bool may_reorder(const Pipeline& pipeline, const RankProgram& program) {
  const std::vector<std::size_t> sources = pipeline.sources();
  return program.travelling.empty() && program.sends.empty() && !program.receives.empty() &&
         program.instances > 1 && largest_offset(program) == 0 && sources.size() == 1 &&
         pipeline.stages[sources.front()].stateless;
}

ReorderProgram reorder_program(const Pipeline& pipeline, const RankProgram& program, Bytes cache) {
  const std::vector<bool> is_ordered = ordered_stages(pipeline);
  std::optional<std::uint32_t> own;
  std::set<std::uint32_t> others;
  for (const Step& step : program.steps) {
    if (step.kind == OperationKind::receive) others.insert(step.instance);
    const bool is_source =
        step.kind == OperationKind::compute && pipeline.stages[step.index].kind == StageKind::source;
    if (is_source && !own) own = step.instance;
  }

  ReorderProgram made;
  made.program.instances = program.instances;
  made.program.receives = program.receives;
  std::vector<Step>& steps = made.program.steps;
  const auto add = [&](std::uint32_t instance, auto belongs) {
    ReorderProgram::Part part{instance, steps.size(), steps.size()};
    for (const Step& step : program.steps)
      if (step.instance == instance && belongs(step)) steps.push_back(step);
    part.last = steps.size();
    return part;
  };
  const auto is_in_turn = [&](const Step& step) {
    return step.kind == OperationKind::receive || is_ordered[step.index];
  };
  if (own) made.work = add(*own, [&](const Step& step) { return !is_in_turn(step); });
  for (const std::uint32_t instance : others)
    made.received.push_back(add(instance, [](const Step&) { return true; }));
  if (own) made.rest = add(*own, is_in_turn);
  for (std::size_t i = 0; own && i < made.work->last; ++i) {
    const auto rest = std::span(steps).subspan(made.rest->first);
    if (std::ranges::any_of(
            rest, [&](const Step& step) { return needs(pipeline, made.program, step, steps[i].index); })) {
      made.needed.push_back(steps[i].index);
      // Meanwhile the rank does the same for its own later frames.
      made.program.lasting.push_back(i);
    }
  }
  made.program.tiled = find_tiled_steps(pipeline, made.program, tile(pipeline, cache));
  return made;
}

}  // namespace takt::pipeline
