#include "pipeline/runtime/step_runner.hpp"

#include "pipeline/calls/kernel_call.hpp"
#include "pipeline/runtime/stage_error.hpp"

namespace takt::pipeline {

[[gnu::always_inline]] inline bool StepRunner::take_common(const BoundStep& step) {
  SourceFeed& feed = *step.feed;
  Timeline& timeline = state_.timeline;
  if (!timeline.is_untimed() || end_.is_paused() || feed.renumbers()) return false;
  sources_.begin_taking(step);
  const std::uint64_t frame = state_.frames.of(step);
  FrameView view;
  // This call, or the end of the previous iteration, has released all frames that are free.
  const sensors::SourceState taken = as_stage(*step.stage, step.index, frame, [&] {
    return feed.poll(frame, timeline.since(), view, timeline.take_reading());
  });
  if (taken != sensors::SourceState::frame) return false;
  *step.output = {.header = view.header,
                  .bytes = view.bytes.data(),
                  .present = true,
                  .cut_off = feed.source().is_cut_off()};
  sources_.stamp(*step.output, step);
  step.tally->ran_untimed();
  step.tally->counts["given"].add(1);
  state_.show(step.index, *step.output);
  return true;
}

[[gnu::always_inline]] inline bool StepRunner::run_common(const BoundStep& step) {
  const Datum& input = *step.inputs.front();
  if (!state_.timeline.is_untimed() || !input.is_common() || state_.is_unsampled(*step.tally) ||
      input.header->change > parameters_.known(step.index))
    return false;
  const FrameView view{input.header, {input.bytes, step.input_bytes}};
  const FrameBuffer& output = *step.buffer;
  const Outcome outcome = as_stage(*step.stage, step.index, state_.frames.of(step), [&] {
    *output.header = *view.header;
    return process_checked(**step.kernel, {&view, 1}, output, true);
  });
  const bool is_given = outcome == Outcome::produced;
  const std::uint32_t given = is_given ? output.header->combined : 0;
  if (given != view.header->combined) [[unlikely]]
    step.tally->balance(view.header->combined, given);
  if (output.header->change < view.header->change) [[unlikely]]
    output.header->change = view.header->change;
  *step.output = {.header = output.header, .bytes = output.bytes.data(), .present = is_given};
  step.tally->ran_untimed();
  if (is_given) [[likely]]
    step.tally->counts["given"].add(1);
  state_.show(step.index, *step.output);
  return true;
}

void StepRunner::run(std::span<const BoundStep> steps) {
  for (const BoundStep& step : steps) {
    if (step.is_simple && (step.kernel != nullptr ? run_common(step) : take_common(step))) continue;
    if (step.tiles != nullptr) {
      tiles_.run(*step.tiles, step);
      continue;
    }
    state_.record(step);
    switch (step.kind) {
      case OperationKind::receive:
        io_.receive(step);
        break;
      case OperationKind::compute:
        compute(step);
        break;
      case OperationKind::send:
        io_.send(step);
        break;
    }
  }
}

void StepRunner::compute(const BoundStep& step) {
  switch (step.stage->kind) {
    case StageKind::source:
      sources_.take(step);
      break;
    case StageKind::kernel:
      kernels_.run(step);
      break;
    case StageKind::sink:
      sinks_.write(step);
      break;
  }
  if (!io_.polls_mpi()) return;
  (void)io_.progress();
  state_.timeline.enter(Use::other);
}

}  // namespace takt::pipeline
