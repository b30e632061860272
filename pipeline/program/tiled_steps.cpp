#include <algorithm>
#include <iterator>
#include <set>

#include "pipeline/program/program.hpp"

namespace takt::pipeline {

namespace {

/// Returns the steps from `first` on that can be executed tile by tile, at least that one.
TiledSteps steps_from(const Pipeline& pipeline, const RankProgram& program, const Tiling& tiling,
                      std::size_t first) {
  const Step& begin = program.steps[first];
  TiledSteps steps{.first = first, .group = {.root = pipeline.stages[begin.index].inputs.front()}};
  std::vector<TileGroup::Member>& members = steps.group.members;
  for (std::size_t i = first; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    if (step.kind != OperationKind::compute || step.instance != begin.instance ||
        step.offset != begin.offset || !tiling[step.index] ||
        tiling[step.index]->group != tiling[begin.index]->group)
      break;
    const std::size_t input = pipeline.stages[step.index].inputs.front();
    const auto found = std::ranges::find(members, input, &TileGroup::Member::stage);
    if (found == members.end() && input != steps.group.root) break;
    TileGroup::Member member{
        .stage = step.index, .input = tiling[step.index]->input, .output = tiling[step.index]->output};
    if (found != members.end()) member.parent = static_cast<std::size_t>(found - members.begin());
    members.push_back(member);
  }
  const auto is_needed = [&](std::size_t stage) {
    for (std::size_t i = 0; i < program.steps.size(); ++i)
      if ((i < first || i >= first + members.size()) && program.steps[i].instance == begin.instance &&
          needs(pipeline, program, program.steps[i], stage))
        return true;
    return false;
  };
  for (TileGroup::Member& member : members) member.is_kept = is_needed(member.stage);
  return steps;
}

}  // namespace

bool is_tiled(const RankProgram& program, std::size_t step) {
  return std::ranges::any_of(program.tiled, [&](const TiledSteps& tiled) {
    return tiled.first <= step && step < tiled.first + tiled.group.members.size();
  });
}

std::vector<TiledSteps> find_tiled_steps(const Pipeline& pipeline, const RankProgram& program,
                                         const Tiling& tiling) {
  std::vector<TiledSteps> found, single;
  for (std::size_t i = 0; i < program.steps.size();) {
    const Step& step = program.steps[i];
    if (step.kind != OperationKind::compute || !tiling[step.index]) {
      ++i;
      continue;
    }
    TiledSteps steps = steps_from(pipeline, program, tiling, i);
    i += steps.group.members.size();
    (steps.group.members.size() > 1 ? found : single).push_back(std::move(steps));
  }
  std::set<std::size_t> cut;
  for (const TiledSteps& steps : found)
    for (const TileGroup::Member& member : steps.group.members) cut.insert(member.stage);
  std::ranges::copy_if(single, std::back_inserter(found), [&](const TiledSteps& steps) {
    const std::size_t stage = steps.group.members.front().stage;
    return !pipeline.stages[stage].stateless && cut.contains(stage);
  });
  std::ranges::sort(found, {}, &TiledSteps::first);
  return found;
}

}  // namespace takt::pipeline
