/// How an executor runs sources, kernels and sinks.

#include <algorithm>

#include <fmt/format.h>

#include "core/copy_out.hpp"
#include "core/system/clock.hpp"
#include "pipeline/runtime/events.hpp"
#include "pipeline/runtime/executor.hpp"

namespace takt::pipeline {

[[gnu::always_inline]] inline bool Executor::take_common(const BoundStep& step) {
  SourceFeed& feed = *step.feed;
  if (!timeline_.skims() || is_paused_ || feed.renumbers()) return false;
  if (step.number > 0) {
    taking_ = step.number;
    release_frames(step.index);
  }
  const std::uint64_t frame = frame_of(step.instance);
  FrameView view;
  // What can be given back was given back above, or at the end of the round before.
  const sensors::SourceState state = as_stage(*step.stage, step.index, frame, [&] {
    return feed.poll(frame, timeline_.since(), view, timeline_.take_look());
  });
  if (state != sensors::SourceState::frame) return false;
  *step.output = {.header = view.header,
                  .bytes = view.bytes.data(),
                  .present = true,
                  .cut_off = feed.source().is_cut_off()};
  stamp(*step.output, slot(step.instance, step.index));
  step.tally->ran_untimed();
  step.tally->counts["given"].add(1);
  show(step.index, *step.output);
  return true;
}

[[gnu::always_inline]] inline bool Executor::run_common(const BoundStep& step) {
  const Datum& input = *step.inputs.front();
  if (!timeline_.skims() || !input.is_common() || is_overlooked(*step.tally) ||
      input.header->change > known_changes_[step.index])
    return false;
  const FrameView view{input.header, {input.bytes, step.input_bytes}};
  const FrameBuffer& output = *step.buffer;
  const Outcome outcome = as_stage(*step.stage, step.index, frame_of(step.instance), [&] {
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
  show(step.index, *step.output);
  return true;
}

void Executor::run_steps(std::span<const BoundStep> steps) {
  for (const BoundStep& step : steps) {
    if (step.is_simple && (step.kernel != nullptr ? run_common(step) : take_common(step))) continue;
    if (step.tiles != nullptr) {
      run_tiles(*step.tiles, step);
      continue;
    }
    if (recorder_) [[unlikely]]
      record(step);
    switch (step.kind) {
      case OperationKind::receive:
        receive(step);
        break;
      case OperationKind::compute:
        compute(step);
        break;
      case OperationKind::send:
        send(step);
        break;
    }
  }
}

void Executor::compute(const BoundStep& step) {
  switch (step.stage->kind) {
    case StageKind::source:
      take_from_source(step);
      break;
    case StageKind::kernel:
      run_kernel(step);
      break;
    case StageKind::sink:
      give_to_sink(step);
      break;
  }
  if (!waiting_.naps) return;
  (void)progress();
  timeline_.enter(Use::other);
}

void Executor::pause_stage(const Step& step) {
  if (!finished_[step.index]) finish_stage(step.index);
  data_[slot(step.instance, step.index)] = {.ended = true, .after_end = true, .paused = true};
}

void Executor::take_from_source(const BoundStep& step) {
  if (is_paused_) return pause_stage(step);
  const std::size_t index = slot(step.instance, step.index);
  Datum& datum = *step.output;
  taking_ = step.number;
  if (step.number > 0) release_frames(step.index);
  FrameView view;
  // Before the clock of the work starts: it may have to wait for room.
  std::optional<FrameBuffer> copy;
  if (layout_.homes[index]) copy = output_buffer(index, bytes_[step.index]);
  const std::optional<std::int64_t> start = wait_for_frame(step.index, frame_of(step.instance), view);
  if (!start) {
    begin_rest();
    datum = {.ended = true, .after_end = true};
    return;
  }
  SourceFeed& feed = *sources_[step.index];
  const bool is_cut_off = feed.source().is_cut_off();
  datum = {view.header, view.bytes.data(), true, false, is_cut_off};
  if (copy) {
    *copy->header = *view.header;
    copy_out(copy->bytes.data(), view.bytes.data(), view.bytes.size());
    datum = {copy->header, copy->bytes.data(), true, false, is_cut_off};
    if (feed.renumbers()) feed.renumber(*copy->header);
    release(step.index);
  } else if (feed.renumbers()) {
    headers_[index] = *view.header;
    feed.renumber(headers_[index]);
    datum.header = &headers_[index];
  }
  stamp(datum, index);
  count_run(*step.tally, timeline_.enter(Use::other) - *start);
  step.tally->counts["given"].add(1);
  show(step.index, datum);
}

void Executor::release_frames(std::size_t stage) {
  SourceFeed& feed = *sources_[stage];
  while (feed.oldest() && !is_read(stage, *feed.oldest())) release(stage);
}

void Executor::release(std::size_t stage) {
  SourceFeed& feed = *sources_[stage];
  as_stage(pipeline_, stage, feed.oldest().value_or(0), [&] { return feed.release(), 0; });
}

bool Executor::is_read(std::size_t stage, std::uint64_t frame) {
  if (frame < options_.first_frame) return true;
  // Nothing passes to other ranks.
  if (claims_) return frame >= claims_->first();
  const std::uint64_t number = frame - options_.first_frame;
  const std::uint64_t round = number / program_.instances;
  const auto instance = static_cast<std::uint32_t>(number % program_.instances);
  if (round > round_ || (round == round_ && layout_.read_until[slot(instance, stage)] >= taking_))
    return true;
  return std::ranges::any_of(layout_.referring[slot(instance, stage)],
                             [&](std::size_t c) { return channels_.sends[c]->released() <= round; });
}

std::size_t Executor::awaited_source(std::size_t stage) const {
  const auto own = std::ranges::find(joined_, stage, &Joined::stage);
  if (own == joined_.end() || own->source->lacks_data()) return stage;
  const auto other =
      std::ranges::find_if(joined_, [](const Joined& each) { return each.source->lacks_data(); });
  return other == joined_.end() ? stage : other->stage;
}

std::optional<std::int64_t> Executor::wait_for_frame(std::size_t stage, std::uint64_t frame,
                                                     FrameView& view) {
  SourceFeed& feed = *sources_[stage];
  const auto poll = [&](std::int64_t now, std::optional<std::int64_t> seen) {
    return as_stage(pipeline_, stage, frame, [&] { return feed.poll(frame, now, view, seen); });
  };
  // What can be given back was given back by the caller, or at the end of the round before.
  if (timeline_.skims()) {
    const sensors::SourceState state = poll(timeline_.since(), timeline_.take_look());
    if (state == sensors::SourceState::frame) return timeline_.since();
    if (state == sensors::SourceState::ended) return std::nullopt;
  }
  std::int64_t attempt = timeline_.follow(Use::starved);
  Wait wait(waiting_, attempt);
  std::int64_t told = attempt;
  std::size_t awaited = stage;
  const auto tell = [&](std::int64_t until) {
    tally_of(awaited).waits["starved"].add(static_cast<std::uint64_t>(until - told));
    told = until;
  };
  while (true) {
    release_frames(stage);
    const sensors::SourceState state = poll(attempt, attempt);
    if (state == sensors::SourceState::frame) break;
    if (state == sensors::SourceState::ended) {
      tell(timeline_.enter(Use::other));
      return std::nullopt;
    }
    if (const std::size_t now_awaited = awaited_source(stage); now_awaited != awaited) {
      tell(attempt);
      awaited = now_awaited;
    }
    wait.pause(progress(), [&](std::int64_t latest) {
      told = tell_of_wait(Use::starved, tally_of(awaited).waits["starved"], told);
      const AtWait at_wait(pipeline_.stages[stage].name, frame);
      feed.sleep(latest);
    });
    attempt = now_ns();
  }
  // Reading a file or making a frame up is work: that of the attempt which gave the frame.
  timeline_.enter(Use::compute, attempt);
  tell(attempt);
  return attempt;
}

void Executor::check_companions(const BoundStep& step) {
  const Datum& first = *step.inputs.front();
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    const Datum& other = *step.inputs[i];
    // What `finish` gives need not be numbered.
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
    throw StageError(step.index,
                     fmt::format("its inputs diverge: {} of '{}', {} of '{}'; a kernel that combines frames "
                                 "must divide its output's rate_hz by their number, and the output of one "
                                 "that discards frames cannot be combined with a complete one",
                                 text(first), pipeline_.stages[step.stage->inputs.front()].name, text(other),
                                 pipeline_.stages[step.stage->inputs[i]].name));
  }
}

FrameBuffer Executor::output_buffer(std::size_t slot_index, std::size_t bytes) {
  const Home& home = *layout_.homes[slot_index];
  if (!home.channel) return {&headers_[slot_index], arena_->frame(home.place).first(bytes)};
  if (!sends_[*home.channel].acquired) wait_for_room(*home.channel);
  const SendChannel& channel = *channels_.sends[*home.channel];
  std::byte* const message = channel.message(channel.sent());
  return {&reinterpret_cast<PartHeader*>(message + channel.plan().parts[home.part].header)->header,
          {message + *layout_.messages[*home.channel].elements[home.part], bytes}};
}

void Executor::run_kernel(const BoundStep& step) {
  if (step.inputs.front()->paused) return pause_stage(step);
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
    inputs[i] = {datum.header, {datum.bytes, bytes_[step.stage->inputs[i]]}};
  }
  output = {.ended = ended, .cut_off = cut_off, .after_end = after_end};
  if (inputs.size() > 1) check_companions(step);
  // A stateless kernel can meet the end before earlier frames, whose instances come later in the program.
  const bool finishes = ended && !finished_[step.index];
  if (!present && !finishes) return;
  if (change > known_changes_[step.index]) [[unlikely]]
    change_parameters(step.index, change);

  const FrameBuffer buffer =
      step.buffer ? *step.buffer : output_buffer(slot(step.instance, step.index), bytes_[step.index]);
  const PlacementKind way =
      step.output_placement != nullptr ? step.output_placement->way() : PlacementKind::in_place;
  const bool copies = way != PlacementKind::in_place;
  const FrameBuffer made{buffer.header,
                         copies ? workbench_->frame(0).first(buffer.bytes.size()) : buffer.bytes};
  const bool was_overlooked = is_overlooked(*step.tally);
  const Use use = step.only_moves ? Use::message : Use::compute;
  const std::int64_t start = was_overlooked ? timeline_.look_closely(use) : timeline_.follow(use);
  const auto [outcome, gave_rest] =
      call(step.index, frame_of(step.instance), *kernels_[step.index],
           {present ? inputs : std::span<FrameView>{}, finishes && !step.only_moves, made, true});
  const bool has_finished =
      step.only_moves ? finishes : gave_rest || (finishes && is_rest_unwanted(step.index));
  const Use next = copies ? Use::message : Use::other;
  std::int64_t end = was_overlooked ? timeline_.look_away(next) : timeline_.enter(next);
  const std::int64_t duration = end - start;
  if (step.output_placement != nullptr && outcome == Outcome::produced) {
    if (copies) {
      copy_by(way, buffer.bytes, made.bytes.data());
      end = timeline_.enter(Use::other);
    }
    if (!timeline_.skims()) step.output_placement->took(end - start);
  }
  if (has_finished) finish_stage(step.index);
  buffer.header->change = std::max(buffer.header->change, change);
  output = {buffer.header,
            buffer.bytes.data(),
            outcome == Outcome::produced,
            ended && finished_[step.index],
            cut_off,
            after_end};
  if (present) count_run(*step.tally, duration, was_overlooked);
  if (output.present) step.tally->counts["given"].add(1);
  show(step.index, output);
}

KernelResult Executor::call(std::size_t stage, std::uint64_t frame, Kernel& kernel, const KernelCall& call) {
  if (call.finishes) [[unlikely]]
    begin_finishing(pipeline_.stages[stage].name, finishing_since(stage));
  return as_stage(pipeline_, stage, frame, [&] {
    if (memory_check_) [[unlikely]]
      return balanced(stage, call, call_kernel(kernel, call, &*memory_check_));
    return balanced(stage, call, call_kernel(kernel, call));
  });
}

KernelResult Executor::balanced(std::size_t stage, const KernelCall& call, KernelResult result) {
  // What it gives in `finish` need not be counted.
  if (call.finishes || call.inputs.empty()) return result;
  const std::uint32_t given = result.outcome == Outcome::produced ? call.output.header->combined : 0;
  if (given != call.inputs.front().header->combined) [[unlikely]]
    balance(stage, call, given);
  return result;
}

void Executor::balance(std::size_t stage, const KernelCall& call, std::uint32_t given) {
  std::uint32_t taken = 0;
  for (const FrameView& input : call.inputs) taken = std::max(taken, input.header->combined);
  tally_of(stage).balance(taken, given);
}

void Executor::run_tiles(TiledRun& run, const Step& first) {
  const TileGroup& group = run.group();
  const Datum& root = data_[slot(first.instance, group.root)];
  if (root.paused) {
    for (const TileGroup::Member& member : group.members)
      pause_stage({OperationKind::compute, first.instance, member.stage});
    return;
  }
  const std::span work = std::span(tiled_work_).first(group.members.size());
  const bool finishes =
      root.ended && std::ranges::any_of(group.members, [&](const TileGroup::Member& member) {
        return !finished_[member.stage];
      });
  if (!root.present && !finishes) {
    for (const TileGroup::Member& member : group.members)
      data_[slot(first.instance, member.stage)] = {
          .ended = root.ended, .cut_off = root.cut_off, .after_end = root.after_end};
    return;
  }
  for (std::size_t i = 0; i < work.size(); ++i) {
    const TileGroup::Member& member = group.members[i];
    if (root.present && root.header->change > known_changes_[member.stage]) [[unlikely]]
      change_parameters(member.stage, root.header->change);
    work[i] = {.has_finished = finished_[member.stage]};
    if (member.is_kept)
      work[i].output = output_buffer(slot(first.instance, member.stage), bytes_[member.stage]);
    if (const OutputPlacement* output_placement = output_placements_[slot(first.instance, member.stage)])
      work[i].goes_past_caches = output_placement->way() == PlacementKind::past_caches;
  }
  if (recorder_) [[unlikely]]
    record(first);
  timeline_.follow(Use::compute);
  tiled_frame_ = frame_of(first.instance);
  const FrameView frame{root.header, {root.bytes, bytes_[group.root]}};
  run.run({frame, root.present, root.ended}, work);
  // A record shows the members one after the other, each with all its tiles.
  for (std::size_t i = 0; recorder_ && i + 1 < work.size(); ++i) {
    record({OperationKind::compute, first.instance, group.members[i + 1].stage});
    timeline_.enter(Use::compute, timeline_.since() + work[i].time_ns);
  }
  timeline_.enter(Use::other);
  for (std::size_t i = 0; i < work.size(); ++i) {
    const TileGroup::Member& member = group.members[i];
    const TiledRun::Work& done = work[i];
    StageTally& tally = tally_.stages[member.stage];
    if (done.has_finished && !finished_[member.stage]) finish_stage(member.stage);
    data_[slot(first.instance, member.stage)] = {done.output.header, done.output.bytes.data(),
                                                 done.is_present,    done.has_ended,
                                                 root.cut_off,       root.after_end};
    if (done.was_called) tally.ran(done.time_ns);
    if (done.is_present) tally.counts["given"].add(1);
    if (OutputPlacement* output_placement = output_placements_[slot(first.instance, member.stage)];
        output_placement != nullptr && done.is_present)
      output_placement->took(done.time_ns);
    if (member.is_kept) show(member.stage, data_[slot(first.instance, member.stage)]);
  }
}

void Executor::give_to_sink(const BoundStep& step) {
  const Stage& stage = *step.stage;
  const Datum& input = *step.inputs.front();
  if (finished_[step.index]) return;
  if (input.paused) return pause_stage(step);

  const bool was_overlooked = is_overlooked(*step.tally);
  const std::int64_t start =
      was_overlooked ? timeline_.look_closely(Use::compute) : timeline_.follow(Use::compute);
  sensors::Sink& sink = *sinks_[step.index];
  SinkTally& tally = tally_.sinks[step.index];
  const bool is_held = are_held_.load(std::memory_order_acquire);
  const WriteGate::Write write(tally_.writes);
  as_stage(stage, step.index, frame_of(step.instance), [&] {
    for (std::size_t i = 1; i < step.inputs.size(); ++i) {
      const Datum& event = *step.inputs[i];
      const FrameType& type = pipeline_.stages[stage.inputs[i]].output;
      if (!event.present) continue;
      if (const auto when = find_event(type, {event.header, {event.bytes, type.size().count}}))
        sink.trigger(when);
    }
    if (input.present && input.header->change > known_changes_[step.index]) [[unlikely]]
      note_changes(step.index, *input.header);
    if (input.present && !is_held) sink.write({input.header, {input.bytes, step.input_bytes}});
    if (input.ended && !stage.stateless) {
      const AtOtherWork at_work(stage.name, Deadline::end);
      sink.close();
    }
    return 0;
  });
  // Of each frame, also of those whose steps are not timed.
  const std::int64_t end = was_overlooked      ? timeline_.look_away(Use::other)
                           : timeline_.skims() ? timeline_.look()
                                               : timeline_.enter(Use::other);
  if (input.present) {
    // What a kernel gives in `finish` need not say since when it is on its way.
    if (input.header->ingested_ns > 0)
      tally.counts.histogram("latency").record(
          Time(end - options_.clock_offset_ns - input.header->ingested_ns));
    tally.counts["delivered"].add(input.header->combined);
    tally.counts["most_combined"].raise_to(input.header->combined);
    if (is_held) tally.held_back.add(input.header->combined);
    if (input.after_end) tally.counts["rest"].add(input.header->combined);
    count_run(*step.tally, end - start, was_overlooked);
  }
  if (input.ended && !stage.stateless) finish_stage(step.index);
  // One that several ranks have can meet the end before earlier frames of the round.
  if (input.ended && stage.stateless && std::ranges::find(closing_, step.index) == closing_.end())
    closing_.push_back(step.index);
  if (input.after_end) return;
  tally.counts["passed"].add(1);
  if (input.cut_off) return;
  tally.counts["timed"].add(1);
  if (tally.counts["timed"].value() == frames_a_round_[step.index])
    tally.counts["first_ns"].set(static_cast<std::uint64_t>(end));
  tally.counts["last_ns"].set(static_cast<std::uint64_t>(end));
  if (options_.iteration_times != nullptr &&
      tally.counts["timed"].value() % frames_a_round_[step.index] == 0) {
    IterationTimes& times = (*options_.iteration_times)[step.index];
    times.ended_ns.push_back(end - options_.clock_offset_ns);
    times.ingested_ns.push_back(input.present ? input.header->ingested_ns : 0);
  }
}

void Executor::close_sinks() {
  for (const std::size_t stage : closing_) {
    as_stage_at(pipeline_, stage, Deadline::end, [&] { return sinks_[stage]->close(), 0; });
    finish_stage(stage);
  }
  closing_.clear();
}

bool Executor::is_rest_unwanted(std::size_t stage) {
  const bool drains = draining_.load(std::memory_order_relaxed);
  std::optional<bool>& drained_before = drained_before_rest_[stage];
  if (!drained_before) drained_before = drains;
  return drains && !*drained_before;
}

std::int64_t Executor::finishing_since(std::size_t stage) {
  std::int64_t& since = finishing_since_ns_[stage];
  if (since == 0) since = now_ns();
  return since;
}

void Executor::finish_stage(std::size_t stage) {
  end_finishing(pipeline_.stages[stage].name);
  finished_[stage] = true;
  --unfinished_;
}

}  // namespace takt::pipeline
