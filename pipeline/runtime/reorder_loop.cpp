#include "pipeline/runtime/reorder_loop.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "core/system/clock.hpp"

namespace takt::pipeline {

namespace {

bool is_after_end(const std::byte* message) {
  return reinterpret_cast<const Envelope*>(message)->after_end != 0;
}

/// Returns whether a message carries this frame, and not the end of the stream.
bool is_of_frame(const std::byte* message, std::uint64_t frame) {
  return !is_after_end(message) && reinterpret_cast<const Envelope*>(message)->frame == frame;
}

}  // namespace

ReorderLoop::ReorderLoop(RankState& state, RankMemory& memory, EndOfStream& end, const RankStages& stages,
                         MessageIo& io, SourceSharing& sharing, const ParameterTracker& parameters,
                         StepRunner& runner, const BoundSteps& steps)
    : state_(state),
      memory_(memory),
      end_(end),
      io_(io),
      sharing_(sharing),
      parameters_(parameters),
      runner_(runner) {
  const ReorderProgram& reordering = *sharing.reordering();
  std::map<int, Sender> senders;
  for (const ReorderProgram::Part& received : reordering.received) {
    Part part = part_of(received, steps);
    senders[state.program.receives[part.channels.front()].peer].parts.push_back(std::move(part));
  }
  for (auto& [rank, sender] : senders) senders_.push_back(std::move(sender));
  waited_for_.reserve(senders_.size());
  if (!reordering.work) return;

  source_ = stages.source(stages.own_sources().front());
  work_ = part_of(*reordering.work, steps);
  rest_ = part_of(*reordering.rest, steps);
  std::vector<std::size_t> bytes;
  for (const std::size_t stage : reordering.needed) {
    needed_.push_back(state.slot(work_->instance, stage));
    bytes.push_back(state.bytes[stage]);
  }
  fresh_.resize(needed_.size());
  early_.emplace(early_frames(state.pipeline, reordering), std::move(bytes));
}

ReorderLoop::Part ReorderLoop::part_of(const ReorderProgram::Part& steps, const BoundSteps& bound) const {
  Part part{.instance = steps.instance, .steps = bound.between(steps.first, steps.last), .channels = {}};
  for (const BoundStep& step : part.steps)
    if (step.kind == OperationKind::receive) part.channels.push_back(step.index);
  return part;
}

void ReorderLoop::run() {
  bool has_taken = false;
  while (take_next()) has_taken = true;
  if (has_own_frames() && !early_->is_full()) return work_ahead();
  if (has_taken) return;
  if (!has_own_frames() && (!early_ || early_->is_empty()) && has_received_all()) return end();
  (void)wait_for_next(std::numeric_limits<std::int64_t>::max());
}

bool ReorderLoop::take_next() {
  state_.frames.first = next_;
  if (early_ && early_->has_next(next_)) {
    finish_own_frame(early_->oldest());
    early_->drop_oldest();
    return true;
  }
  for (Sender& sender : senders_) {
    ReceiveChannel& channel = io_.receiver(sender.channel());
    if (io_.has_closed(sender.channel()) || !channel.has_message() || !is_of_frame(channel.message(), next_))
      continue;
    receive_from(sender);
    ++next_;
    return true;
  }
  return false;
}

void ReorderLoop::finish_own_frame(std::span<const Datum> outputs) {
  for (std::size_t i = 0; i < needed_.size(); ++i) memory_.data[needed_[i]] = outputs[i];
  runner_.run(rest_->steps);
  ++next_;
}

void ReorderLoop::receive_from(Sender& sender) {
  runner_.run(sender.parts[sender.next].steps);
  io_.release_messages();
  sender.next = (sender.next + 1) % sender.parts.size();
}

void ReorderLoop::work_ahead() {
  sharing_.begin_iteration(state_, io_, *source_, parameters_.allowed());
  const std::uint64_t frame = sharing_.self_scheduling()->first();
  const std::int64_t start = state_.timeline.since();
  runner_.run(work_->steps);
  if (source_->has_ended()) return;
  // If ranks are equally fast, those that claimed earlier frames finish them soon.
  constexpr std::int64_t part_of_work = 4;
  const std::int64_t latest = state_.timeline.since() + (state_.timeline.since() - start) / part_of_work;
  // Other frames use these slots during the wait.
  for (std::size_t i = 0; i < needed_.size(); ++i) fresh_[i] = memory_.data[needed_[i]];
  while (next_ != frame)
    if (!take_next() && !wait_for_next(latest)) break;
  if (next_ == frame) {
    state_.frames.first = frame;
    finish_own_frame(fresh_);
  } else {
    early_->keep(frame, fresh_);
  }
  sharing_.end_iteration(state_.frames);
}

bool ReorderLoop::wait_for_next(std::int64_t latest_ns) {
  // Channels of ranks that may have claimed the frame.
  std::vector<std::size_t>& open = waited_for_;
  open.clear();
  for (const Sender& sender : senders_) {
    const std::size_t channel = sender.channel();
    if (io_.has_closed(channel)) continue;
    if (!io_.receiver(channel).has_message())
      open.push_back(channel);
    else if (is_of_frame(io_.receiver(channel).message(), next_))
      return true;
  }
  // The last message has arrived by now.
  if (open.empty()) return true;
  if (now_ns() >= latest_ns) return false;
  bool is_there = false;
  io_.wait_until(
      Use::starved, Use::other, [&]() -> Tally& { return io_.starved_at(open.front()); },
      [&] {
        is_there = std::ranges::any_of(
            open, [&](std::size_t channel) { return io_.receiver(channel).has_message(); });
        return is_there || now_ns() >= latest_ns;
      },
      [&](std::int64_t latest) {
        // Only the first channel wakes this rank; the others are polled.
        if (open.size() > 1) latest = std::min(latest, now_ns() + WaitPolicy::shortest_nap);
        io_.receiver(open.front()).sleep_until_message(std::min(latest, latest_ns));
      });
  return is_there;
}

bool ReorderLoop::has_received_all() {
  return std::ranges::all_of(senders_, [&](const Sender& sender) {
    const std::size_t channel = sender.channel();
    if (io_.has_closed(channel)) return true;
    ReceiveChannel& open = io_.receiver(channel);
    return open.has_message() && is_after_end(open.message());
  });
}

void ReorderLoop::end() {
  state_.frames.first = next_;
  end_.begin_flush();
  if (rest_) {
    for (const std::size_t slot : needed_) memory_.data[slot] = Datum::end_of_stream();
    runner_.run(rest_->steps);
  }
  for (Sender& sender : senders_)
    for (std::size_t i = 0; i < sender.parts.size(); ++i) receive_from(sender);
}

}  // namespace takt::pipeline
