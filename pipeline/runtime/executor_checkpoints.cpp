/// How an executor gives what a run needs to start again, and begins with it.

#include <utility>

#include <fmt/format.h>

#include "pipeline/runtime/executor.hpp"

namespace takt::pipeline {

sensors::OutputBook Executor::book_of(std::size_t sink) const {
  const Restarting& restarting = *options_.restarting;
  const auto begun = restarting.begun.find(sink);
  // The sink may outlive this executor.
  sensors::OutputBook::Tell tell;
  if (restarting.tell)
    tell = [sink, told = restarting.tell](const std::string& name) { told({{sink, {name}}}); };
  return sensors::OutputBook(restarting.books / fmt::format("sink-{}", sink),
                             begun == restarting.begun.end() ? std::vector<std::string>{} : begun->second,
                             std::move(tell));
}

void Executor::open_sinks() {
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    if (!sinks_[i] || was_open_[i]) continue;
    as_stage_at(pipeline_, i, Deadline::set_up, [&] {
      if (const SavedStage* before = saved(i); before && before->state)
        sinks_[i]->resume(*before->state);
      else
        sinks_[i]->open();
      return 0;
    });
  }
}

void Executor::look_for_checkpoint() {
  if (program_.steps.empty() || is_paused_ || unfinished_ < stages_to_finish_) return;
  for (const auto& feed : sources_)
    if (feed && feed->has_ended()) return;
  Checkpoint checkpoint{.frame = frame_of(0)};
  bool is_whole = true;
  for (std::size_t i = 0; i < tally_.stages.size(); ++i) {
    if (!sources_[i] && !kernels_[i] && !sinks_[i] && tally_.stages[i].counts["runs"].value() == 0) continue;
    checkpoint.stages.push_back(as_stage(pipeline_, i, frame_of(0), [&] { return save_stage(i); }));
    is_whole = is_whole && (!sinks_[i] || checkpoint.stages.back().state);
  }
  timeline_.enter(Use::other);
  // Where a sink cannot say just now, the checkpoint before holds.
  if (is_whole) options_.restarting->give(std::move(checkpoint));
}

SavedStage Executor::save_stage(std::size_t stage) {
  const StageTally& tally = tally_.stages[stage];
  SavedStage saved{.stage = stage,
                   .runs = tally.counts["runs"].value(),
                   .given = tally.counts["given"].value(),
                   .total_ns = tally.counts["work"].value()};
  if (sources_[stage]) saved.stream = sources_[stage]->save();
  if (const Kernel* const kernel = kernels_[stage].get()) {
    // What moves data between ranks is of no kind, and keeps nothing.
    const KernelKind* const kind = pipeline_.kernels.find(pipeline_.stages[stage].type);
    if (!pipeline_.stages[stage].stateless)
      saved.state = kernel->save();
    else if (kind != nullptr)
      check_saves_nothing(*kind, *kernel);
  }
  if (sinks_[stage]) {
    const SinkTally& sink = tally_.sinks[stage];
    saved.state = sinks_[stage]->save();
    saved.delivery = {.passed = sink.counts["passed"].value(),
                      .delivered = sink.counts["delivered"].value(),
                      .most_combined = sink.counts["most_combined"].value(),
                      .held_back = sink.held_back.value()};
  }
  return saved;
}

}  // namespace takt::pipeline
