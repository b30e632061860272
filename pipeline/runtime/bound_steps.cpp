#include "pipeline/runtime/bound_steps.hpp"

#include <algorithm>
#include <optional>

#include "pipeline/program/execution.hpp"

namespace takt::pipeline {

BoundSteps::BoundSteps(RankState& state, RankMemory& memory, RankStages& stages,
                       const TravellingStates& travelling, MessageIo& io, TileRunner& tiles,
                       bool releases_early)
    : phases_(state.program.phases) {
  const RankProgram& program = state.program;
  std::size_t operands = 0;
  for (const Step& step : program.steps)
    if (step.kind == OperationKind::compute) operands += state.pipeline.stages[step.index].inputs.size();
  // Keeps spans of it valid while it grows.
  operands_.reserve(operands * phases_);
  for (std::uint32_t phase = 0; phase < phases_; ++phase) {
    const std::size_t begin = steps_.size();
    places_.clear();
    auto tiled = program.tiled.begin();
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
      places_.resize(i + 1, steps_.size() - begin);
      steps_.push_back(bind(program.steps[i], phase, state, memory, stages, travelling, io));
      if (steps_.back().feed != nullptr && releases_early) steps_.back().number = i;
      if (tiled == program.tiled.end() || tiled->first != i) continue;
      steps_.back().is_simple = false;
      steps_.back().tiles = &tiles.run_of(static_cast<std::size_t>(tiled - program.tiled.begin()));
      i += tiled->group.members.size() - 1;
      ++tiled;
    }
    places_.resize(program.steps.size() + 1, steps_.size() - begin);
  }
}

BoundStep BoundSteps::bind(const Step& of_program, std::uint32_t phase, RankState& state, RankMemory& memory,
                           RankStages& stages, const TravellingStates& travelling, MessageIo& io) {
  const RankProgram& program = state.program;
  Step step = of_program;
  // The copy of the iteration that is `offset` iterations behind.
  const std::uint32_t copy = (phase + program.phases - step.offset % program.phases) % program.phases;
  step.instance += copy * program.instances;
  BoundStep made{step};
  if (step.kind != OperationKind::compute) return made;
  const std::size_t slot = state.slot(step.instance, step.index);
  made.stage = &state.pipeline.stages[step.index];
  made.output = &memory.data[slot];
  const std::size_t first = operands_.size();
  for (const std::size_t input : made.stage->inputs)
    operands_.push_back(&memory.data[state.slot(step.instance, input)]);
  made.inputs = std::span(operands_).subspan(first);
  made.tally = &state.tally_of(step.index);
  if (!made.stage->inputs.empty()) made.input_bytes = state.bytes[made.stage->inputs.front()];
  if (made.stage->kind == StageKind::source) {
    made.feed = stages.source(step.index);
    made.is_simple = !memory.layout.homes[slot];
  }
  if (made.stage->kind == StageKind::sink)
    for (const Step& other : program.steps)
      if (other.kind == OperationKind::compute && other.index == step.index && other.offset > step.offset)
        made.until_all = std::max(made.until_all, other.offset - step.offset);
  if (made.stage->kind != StageKind::kernel) return made;
  made.kernel = &stages.kernel(step.index);
  made.state = travelling[step.index].get();
  if (const std::optional<Home>& home = memory.layout.homes[slot]; home && !home->channel)
    made.buffer = io.output_buffer(slot, state.bytes[step.index]);
  made.output_placement = memory.placements[slot];
  made.only_moves = made.stage->type == redistribution_type;
  made.is_simple = made.inputs.size() == 1 && made.buffer && made.output_placement == nullptr &&
                   !made.only_moves && made.stage->depth == 0 && made.state == nullptr;
  return made;
}

}  // namespace takt::pipeline
