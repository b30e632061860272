#include "pipeline/runtime/sink_runner.hpp"

#include <algorithm>
#include <optional>

#include "pipeline/runtime/events.hpp"
#include "pipeline/runtime/stage_error.hpp"

namespace takt::pipeline {

SinkRunner::SinkRunner(RankState& state, EndOfStream& end, const RankStages& stages,
                       ParameterTracker& parameters, std::int64_t clock_offset_ns,
                       std::vector<IterationTimes>* iteration_times)
    : state_(state),
      end_(end),
      stages_(stages),
      parameters_(parameters),
      clock_offset_ns_(clock_offset_ns),
      iteration_times_(iteration_times) {
  for (std::size_t stage = 0; stage < state.pipeline.stages.size(); ++stage)
    held_.push_back(state.pipeline.stages[stage].iterations_held(state.program.instances) *
                    state.frames_per_round[stage]);
}

[[gnu::always_inline]] inline void SinkRunner::give(const BoundStep& step, bool is_held) {
  const Stage& stage = *step.stage;
  const Datum& input = *step.inputs.front();
  sensors::Sink& sink = *stages_.sink(step.index);
  as_stage(stage, step.index, state_.frames.of(step), [&] {
    for (std::size_t i = 1; i < step.inputs.size(); ++i) {
      const Datum& event = *step.inputs[i];
      const FrameType& type = state_.pipeline.stages[stage.inputs[i]].output;
      if (!event.present) continue;
      if (const auto when = find_event(type, {event.header, {event.bytes, type.size().count}}))
        sink.trigger(when);
    }
    if (input.present && input.header->change > parameters_.known(step.index)) [[unlikely]]
      parameters_.note(step.index, *input.header, sink);
    if (input.present && !is_held) sink.write({input.header, {input.bytes, step.input_bytes}});
    if (input.ended && !stage.stateless) {
      const AtOtherWork at_work(stage.name, Deadline::end);
      sink.close();
    }
    return 0;
  });
}

[[gnu::always_inline]] inline void SinkRunner::count(const BoundStep& step, std::int64_t end_ns,
                                                     bool is_held) {
  const Datum& input = *step.inputs.front();
  SinkTally& tally = state_.tally.sinks[step.index];
  if (input.present) {
    // Flushed frames may have no time of ingestion.
    if (input.header->ingested_ns > 0)
      tally.counts.histogram("latency").record(Time(end_ns - clock_offset_ns_ - input.header->ingested_ns));
    tally.counts["delivered"].add(input.header->combined);
    tally.counts["most_combined"].raise_to(input.header->combined);
    if (is_held) tally.held_back.add(input.header->combined);
    if (input.after_end) tally.counts["rest"].add(input.header->combined);
  }
  if (input.after_end) return;
  tally.counts["passed"].add(1);
  if (input.cut_off || tally.counts["passed"].value() <= held_[step.index]) return;
  tally.counts["timed"].add(1);
  const std::uint64_t frames_per_round = state_.frames_per_round[step.index];
  if (tally.counts["timed"].value() == frames_per_round)
    tally.counts["first_ns"].set(static_cast<std::uint64_t>(end_ns));
  tally.counts["last_ns"].set(static_cast<std::uint64_t>(end_ns));
  if (iteration_times_ != nullptr && tally.counts["timed"].value() % frames_per_round == 0)
    note_iteration(step, end_ns);
}

void SinkRunner::write(const BoundStep& step) {
  const Datum& input = *step.inputs.front();
  if (end_.has_finished(step.index)) return;
  if (input.paused) return end_.pause_stage(step.index, *step.output);

  Timeline& timeline = state_.timeline;
  const bool was_unsampled = state_.is_unsampled(*step.tally);
  const std::int64_t start =
      was_unsampled ? timeline.begin_timed(Use::compute) : timeline.follow(Use::compute);
  const bool is_held = are_held_.load(std::memory_order_acquire);
  const WriteGate::Write write(state_.tally.writes);
  give(step, is_held);
  // Also for each frame in an untimed iteration.
  const std::int64_t end = was_unsampled           ? timeline.end_timed(Use::other)
                           : timeline.is_untimed() ? timeline.read_clock()
                                                   : timeline.enter(Use::other);
  count(step, end, is_held);
  if (input.present) state_.count_run(*step.tally, end - start, was_unsampled);
  if (!input.ended) return;
  if (!step.stage->stateless)
    end_.finish(step.index);
  else if (std::ranges::find(closing_, step.index, &Closing::stage) == closing_.end())
    // A sink of several ranks can receive the end before earlier frames of the iteration.
    closing_.push_back({step.index, state_.round + step.until_all});
}

void SinkRunner::note_iteration(const BoundStep& step, std::int64_t end_ns) {
  const Datum& input = *step.inputs.front();
  IterationTimes& times = (*iteration_times_)[step.index];
  times.ended_ns.push_back(end_ns - clock_offset_ns_);
  times.ingested_ns.push_back(input.present ? input.header->ingested_ns : 0);
}

void SinkRunner::close_all() {
  std::erase_if(closing_, [&](const Closing& closing) {
    if (closing.round > state_.round) return false;
    const std::size_t stage = closing.stage;
    as_stage_at(state_.pipeline, stage, Deadline::end, [&] { return stages_.sink(stage)->close(), 0; });
    end_.finish(stage);
    return true;
  });
}

void SinkRunner::trigger_all(std::uint32_t triggers) {
  triggers_passed_on_ = triggers;
  for (std::size_t stage = 0; stage < state_.pipeline.stages.size(); ++stage)
    if (sensors::Sink* const sink = stages_.sink(stage)) sink->trigger(std::nullopt);
}

void SinkRunner::begin_files() {
  for (std::size_t stage = 0; stage < state_.pipeline.stages.size(); ++stage)
    if (sensors::Sink* const sink = stages_.sink(stage)) sink->begin_file();
}

void SinkRunner::hold(bool are_held) {
  if (!are_held) begin_files();
  are_held_.store(are_held, std::memory_order_release);
}

}  // namespace takt::pipeline
