#include "pipeline/runtime/kernel_runner.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "core/copy_out.hpp"
#include "core/error.hpp"
#include "pipeline/runtime/stage_error.hpp"

namespace takt::pipeline {

KernelRunner::KernelRunner(RankState& state, RankMemory& memory, EndOfStream& end, RankStages& stages,
                           MessageIo& io, ParameterTracker& parameters, Options options)
    : state_(state),
      memory_(memory),
      end_(end),
      stages_(stages),
      io_(io),
      parameters_(parameters),
      restarts_(options.restarts) {
  if (options.checks_memory) memory_check_.emplace(memory.layout.place_size);
  std::size_t most_inputs = 0;
  for (const Stage& stage : state.pipeline.stages) most_inputs = std::max(most_inputs, stage.inputs.size());
  inputs_.resize(most_inputs);
}

void KernelRunner::run(const BoundStep& step) {
  if (step.inputs.front()->paused) return end_.pause_stage(step.index, *step.output);
  if (step.state == nullptr || end_.has_finished(step.index)) return run_frame(step);
  const std::uint64_t frame = state_.frames.of(step);
  if (begin_turn(step, frame)) run_frame(step);
  end_turn(step, frame);
}

bool KernelRunner::begin_turn(const BoundStep& step, std::uint64_t frame) {
  TravellingState& state = *step.state;
  if (!state.has_turn(frame))
    io_.wait_until(
        Use::starved, Use::other, [&]() -> Tally& { return step.tally->counts["awaited"]; },
        [&] { return state.has_turn(frame); },
        [&](std::int64_t latest) { state.sleep_until_turn(frame, latest); });
  const bool ended = std::ranges::all_of(step.inputs, [](const Datum* datum) { return datum->ended; });
  if (ended && !state.begin_flush()) {
    if (state.has_ended()) end_.finish(step.index);
    *step.output = {.ended = state.has_ended(), .after_end = true};
    return false;
  }
  const bool present = std::ranges::all_of(step.inputs, [](const Datum* datum) { return datum->present; });
  // A checkpoint after an iteration needs the state here, even if the last frame is absent.
  if (state.is_own() || !(present || ended || restarts_)) return true;
  state_.timeline.follow(Use::message);
  if (state.change() > parameters_.known(step.index)) [[unlikely]]
    update(step.index, state.change());
  as_stage(*step.stage, step.index, frame, [&] { return (*step.kernel)->load(state.saved()), 0; });
  state.set_own();
  return true;
}

void KernelRunner::end_turn(const BoundStep& step, std::uint64_t frame) {
  TravellingState& state = *step.state;
  const auto is_of_stream = [](const Datum* datum) { return datum->present && !datum->ended; };
  if (std::ranges::all_of(step.inputs, is_of_stream)) {
    state_.timeline.follow(Use::message);
    as_stage(*step.stage, step.index, frame, [&] {
      const std::optional<std::vector<std::byte>> saved = (*step.kernel)->save();
      if (!saved) throw WorkError("it declares a state that travels, but saves none (Kernel::save)");
      state.save(*saved, parameters_.known(step.index));
      return 0;
    });
    state_.timeline.follow(Use::other);
  }
  if (end_.has_finished(step.index)) state.end();
  state.pass(frame);
}

void KernelRunner::run_frame(const BoundStep& step) {
  Datum& output = *step.output;
  const std::span<FrameView> inputs = std::span(inputs_).first(step.inputs.size());
  bool present = true, ended = true, cut_off = false, after_end = false;
  std::uint32_t change = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Datum& datum = *step.inputs[i];
    present = present && datum.present;
    ended = ended && datum.ended;
    cut_off = cut_off || datum.cut_off;
    after_end = after_end || datum.after_end;
    if (datum.present) change = std::max(change, datum.header->change);
    inputs[i] = {datum.header, {datum.bytes, state_.bytes[step.stage->inputs[i]]}};
  }
  output = {.ended = ended, .cut_off = cut_off, .after_end = after_end};
  if (inputs.size() > 1) check_companions(step);
  // A stateless kernel can receive the end before earlier frames, whose instances come later in the program.
  const bool finishes = ended && !end_.has_finished(step.index);
  if (!present && !finishes) return;
  if (change > parameters_.known(step.index)) [[unlikely]]
    update(step.index, change);
  FramesInFlight* const in_flight =
      step.stage->depth > 0 ? static_cast<FramesInFlight*>(step.kernel->get()) : nullptr;
  if (in_flight != nullptr) [[unlikely]]
    await_oldest(step, *in_flight, present);

  Timeline& timeline = state_.timeline;
  const FrameBuffer buffer =
      step.buffer ? *step.buffer
                  : io_.output_buffer(state_.slot(step.instance, step.index), state_.bytes[step.index]);
  const PlacementKind placement =
      step.output_placement != nullptr ? step.output_placement->kind() : PlacementKind::in_place;
  const bool copies = placement != PlacementKind::in_place;
  const FrameBuffer made{buffer.header,
                         copies ? memory_.workbench->frame(0).first(buffer.bytes.size()) : buffer.bytes};
  const bool was_unsampled = state_.is_unsampled(*step.tally);
  const Use use = step.only_moves ? Use::message : Use::compute;
  const std::int64_t start = was_unsampled ? timeline.begin_timed(use) : timeline.follow(use);
  const auto [outcome, has_flushed] =
      call(step.index, state_.frames.of(step), **step.kernel,
           {present ? inputs : std::span<FrameView>{}, finishes && !step.only_moves, made, true});
  const bool has_finished =
      step.only_moves ? finishes : has_flushed || (finishes && end_.is_flush_unused(step.index));
  const Use next = copies ? Use::message : Use::other;
  std::int64_t end = was_unsampled ? timeline.end_timed(next) : timeline.enter(next);
  const std::int64_t duration = end - start;
  if (step.output_placement != nullptr && outcome == Outcome::produced) {
    if (copies) {
      copy_by(placement, buffer.bytes, made.bytes.data());
      end = timeline.enter(Use::other);
    }
    if (!timeline.is_untimed()) step.output_placement->took(end - start);
  }
  if (has_finished) end_.finish(step.index);
  // The output of an asynchronous kernel is of an earlier frame.
  if (in_flight == nullptr) buffer.header->change = std::max(buffer.header->change, change);
  if (in_flight != nullptr && outcome == Outcome::produced) [[unlikely]]
    step.tally->counts["latency"].add(static_cast<std::uint64_t>(in_flight->last_duration_ns()));
  output = {buffer.header,
            buffer.bytes.data(),
            outcome == Outcome::produced,
            ended && end_.has_finished(step.index),
            cut_off,
            after_end};
  if (present) state_.count_run(*step.tally, duration, was_unsampled);
  if (output.present) step.tally->counts["given"].add(1);
  state_.show(step.index, output);
}

void KernelRunner::await_oldest(const BoundStep& step, FramesInFlight& frames, bool has_input) {
  as_stage(*step.stage, step.index, state_.frames.of(step), [&] {
    if (frames.is_ready(has_input)) return 0;
    io_.wait_until(
        Use::starved, Use::other, [&]() -> Tally& { return step.tally->counts["awaited"]; },
        [&] { return frames.is_ready(has_input); }, [&](std::int64_t latest) { frames.sleep(latest); });
    return 0;
  });
}

KernelResult KernelRunner::call(std::size_t stage, std::uint64_t frame, Kernel& kernel,
                                const KernelCall& call) {
  const Stage& which = state_.pipeline.stages[stage];
  if (call.finishes) [[unlikely]]
    begin_finishing(which.name, end_.finishing_since(stage));
  MemoryCheck* const check = memory_check_ ? &*memory_check_ : nullptr;
  return as_stage(which, stage, frame,
                  [&] { return balanced(stage, call, call_kernel(kernel, call, check)); });
}

KernelResult KernelRunner::balanced(std::size_t stage, const KernelCall& call, KernelResult result) {
  // Flushed output need not be counted.
  if (call.finishes || call.inputs.empty()) return result;
  const std::uint32_t produced = result.outcome == Outcome::produced ? call.output.header->combined : 0;
  if (produced != call.inputs.front().header->combined) [[unlikely]]
    balance(stage, call, produced);
  return result;
}

void KernelRunner::balance(std::size_t stage, const KernelCall& call, std::uint32_t produced) {
  std::uint32_t taken = 0;
  for (const FrameView& input : call.inputs) taken = std::max(taken, input.header->combined);
  state_.tally_of(stage).balance(taken, produced);
}

void KernelRunner::update(std::size_t stage, std::uint32_t number) {
  for (const Parameters& parameters : parameters_.take_over(stage, number)) stages_.change(stage, parameters);
}

void KernelRunner::check_companions(const BoundStep& step) const {
  const Datum& first = *step.inputs.front();
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    const Datum& other = *step.inputs[i];
    // Output of `finish` need not be numbered.
    if (other.present == first.present &&
        (!first.present || first.ended ||
         (other.header->sequence == first.header->sequence && other.header->epoch == first.header->epoch)))
      continue;
    const auto text = [](const Datum& datum) {
      if (!datum.present) return std::string("no frame");
      return datum.header->epoch == 0
                 ? fmt::format("frame {}", datum.header->sequence)
                 : fmt::format("frame {} of epoch {}", datum.header->sequence, datum.header->epoch);
    };
    const std::vector<Stage>& stages = state_.pipeline.stages;
    throw StageError(
        step.index,
        fmt::format("its inputs diverge: {} of '{}', {} of '{}'. Where a kernel combines frames, its "
                    "output's rate_hz is expected to be divided by their number. The output of "
                    "a kernel that discards frames cannot be combined with a complete one",
                    text(first), stages[step.stage->inputs.front()].name, text(other),
                    stages[step.stage->inputs[i]].name));
  }
}

}  // namespace takt::pipeline
