#include "pipeline/runtime/checkpointing.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/runtime/stage_error.hpp"

namespace takt::pipeline {

void Checkpointing::save() {
  if (state_.program.steps.empty() || end_.is_paused() || !end_.is_untouched()) return;
  const auto has_ended = [&](std::size_t source) { return stages_.source(source)->has_ended(); };
  if (std::ranges::any_of(stages_.own_sources(), has_ended)) return;
  const std::uint64_t frame = state_.frames.first;
  Checkpoint checkpoint{.frame = frame};
  bool is_whole = true;
  for (std::size_t i = 0; i < state_.tally.stages.size(); ++i) {
    const bool is_sink = stages_.sink(i) != nullptr;
    if (!is_sink && stages_.source(i) == nullptr && !stages_.kernel(i) &&
        state_.tally.stages[i].counts["runs"].value() == 0)
      continue;
    checkpoint.stages.push_back(as_stage(state_.pipeline, i, frame, [&] { return save_stage(i); }));
    is_whole = is_whole && (!is_sink || checkpoint.stages.back().state);
  }
  state_.timeline.enter(Use::other);
  // If a sink cannot report its state now, the previous checkpoint stays valid.
  if (is_whole) restarting_->give(std::move(checkpoint));
}

SavedStage Checkpointing::save_stage(std::size_t stage) const {
  const StageTally& tally = state_.tally.stages[stage];
  SavedStage saved{.stage = stage,
                   .runs = tally.counts["runs"].value(),
                   .given = tally.counts["given"].value(),
                   .total_ns = tally.counts["work"].value()};
  if (const SourceFeed* const source = stages_.source(stage)) saved.stream = source->save();
  if (const Kernel* const kernel = stages_.kernel(stage).get()) {
    // Stages that redistribute data between ranks have no kind and no state.
    const KernelKind* const kind = state_.pipeline.kernels.find(state_.pipeline.stages[stage].type);
    const auto travels = std::ranges::find(state_.program.travelling, stage, &RankProgram::Travelling::stage);
    // Of the ranks to which a state travels, the one with the last frame of the iteration has it.
    const bool is_elsewhere = travels != state_.program.travelling.end() && !travels->has_last;
    if (is_elsewhere) return saved;
    if (!state_.pipeline.stages[stage].stateless)
      saved.state = kernel->save();
    else if (kind != nullptr)
      check_saves_nothing(*kind, *kernel);
  }
  if (const sensors::Sink* const sink = stages_.sink(stage)) {
    const SinkTally& sink_tally = state_.tally.sinks[stage];
    saved.state = sink->save();
    saved.delivery = {.passed = sink_tally.counts["passed"].value(),
                      .delivered = sink_tally.counts["delivered"].value(),
                      .most_combined = sink_tally.counts["most_combined"].value(),
                      .held_back = sink_tally.held_back.value()};
  }
  return saved;
}

}  // namespace takt::pipeline
