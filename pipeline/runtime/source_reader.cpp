#include "pipeline/runtime/source_reader.hpp"

#include <algorithm>

#include "core/copy_out.hpp"
#include "core/system/clock.hpp"
#include "pipeline/runtime/stage_error.hpp"

namespace takt::pipeline {

void SourceReader::take(const BoundStep& step) {
  if (end_.is_paused()) return end_.pause_stage(step.index, *step.output);
  const std::size_t slot = state_.slot(step.instance, step.index);
  Datum& datum = *step.output;
  SourceFeed& feed = *step.feed;
  taking_ = step.number;
  begin_taking(step);
  FrameView view;
  // Done before the work is timed: it may wait for room.
  std::optional<FrameBuffer> copy;
  if (memory_.layout.homes[slot]) copy = io_.output_buffer(slot, state_.bytes[step.index]);
  const std::optional<std::int64_t> start = wait_for_frame(step, view);
  if (!start) {
    end_.begin_flush();
    datum = Datum::end_of_stream();
    return;
  }
  datum = {.header = view.header,
           .bytes = view.bytes.data(),
           .present = true,
           .cut_off = feed.source().is_cut_off()};
  if (copy) {
    *copy->header = *view.header;
    copy_out(copy->bytes.data(), view.bytes.data(), view.bytes.size());
    datum.header = copy->header;
    datum.bytes = copy->bytes.data();
    if (feed.renumbers()) feed.renumber(*copy->header);
    release(feed, step.index);
  } else if (feed.renumbers()) {
    memory_.headers[slot] = *view.header;
    feed.renumber(memory_.headers[slot]);
    datum.header = &memory_.headers[slot];
  }
  stamp(datum, step);
  state_.count_run(*step.tally, state_.timeline.enter(Use::other) - *start);
  step.tally->counts["given"].add(1);
  state_.show(step.index, datum);
}

void SourceReader::stamp(Datum& datum, const BoundStep& step, std::uint32_t change) {
  FrameHeader& header = memory_.headers[state_.slot(step.instance, step.index)];
  if (datum.header != &header) header = *datum.header;
  header.change = change;
  datum.header = &header;
  // Of the ranks that share a source, one has the first frame with the update.
  if (sharing_.may_begin_change(state_.frames.offsets[step.instance])) parameters_.begin(change, header);
}

void SourceReader::release(SourceFeed& feed, std::size_t stage) {
  as_stage(state_.pipeline, stage, feed.oldest().value_or(0), [&] { return feed.release(), 0; });
}

bool SourceReader::is_read(std::size_t stage, std::uint64_t frame) {
  if (frame < first_frame_) return true;
  // No frame passes to other ranks.
  if (const SelfScheduling* const own = sharing_.self_scheduling()) return frame >= own->first();
  const std::uint64_t number = frame - first_frame_;
  const std::uint64_t round = number / state_.program.instances;
  const std::size_t slot = state_.slot(static_cast<std::uint32_t>(number % state_.program.instances), stage);
  if (round > state_.round) return true;
  const std::uint64_t passed = (state_.round - round) * state_.program.steps.size() + taking_;
  if (memory_.layout.read_until[slot] >= passed) return true;
  return std::ranges::any_of(memory_.layout.referring[slot],
                             [&](std::size_t channel) { return io_.released(channel) <= round; });
}

std::optional<std::int64_t> SourceReader::wait_for_frame(const BoundStep& step, FrameView& view) {
  SourceFeed& feed = *step.feed;
  Timeline& timeline = state_.timeline;
  const std::uint64_t frame = state_.frames.of(step);
  const auto poll = [&](std::int64_t now, std::optional<std::int64_t> seen) {
    return as_stage(*step.stage, step.index, frame, [&] { return feed.poll(frame, now, view, seen); });
  };
  // The caller, or the end of the previous iteration, has released all frames that are free.
  if (timeline.is_untimed()) {
    const sensors::SourceState state = poll(timeline.since(), timeline.take_reading());
    if (state == sensors::SourceState::frame) return timeline.since();
    if (state == sensors::SourceState::ended) return std::nullopt;
  }
  std::int64_t attempt = timeline.follow(Use::starved);
  Wait wait(io_.waits().policy(), attempt);
  std::int64_t counted = attempt;
  std::size_t awaited = step.index;
  const auto count = [&](std::int64_t until) {
    state_.tally_of(awaited).waits["starved"].add(static_cast<std::uint64_t>(until - counted));
    counted = until;
  };
  while (true) {
    release_frames(feed, step.index);
    const sensors::SourceState state = poll(attempt, attempt);
    if (state == sensors::SourceState::frame) break;
    if (state == sensors::SourceState::ended) {
      count(timeline.enter(Use::other));
      return std::nullopt;
    }
    const std::size_t now_awaited = joined_ != nullptr ? joined_->awaited(step.index) : step.index;
    if (now_awaited != awaited) {
      count(attempt);
      awaited = now_awaited;
    }
    wait.pause(io_.progress(), [&](std::int64_t latest) {
      counted = io_.waits().count_long_wait(Use::starved, state_.tally_of(awaited).waits["starved"], counted);
      const AtWait at_wait(step.stage->name, frame);
      feed.sleep(latest);
    });
    attempt = now_ns();
  }
  // Reading a file or generating a frame is work: it is the time of the successful attempt.
  timeline.enter(Use::compute, attempt);
  count(attempt);
  return attempt;
}

}  // namespace takt::pipeline
