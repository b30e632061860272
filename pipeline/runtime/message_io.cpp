#include "pipeline/runtime/message_io.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <sched.h>

#include "core/copy_out.hpp"
#include "core/system/clock.hpp"
#include "pipeline/runtime/pinning.hpp"

namespace takt::pipeline {

namespace {

/// Returns the value of Envelope::ended when all parts have ended.
std::uint64_t all_parts(const ChannelPlan& plan) {
  return plan.parts.size() == Envelope::max_parts ? ~std::uint64_t{0}
                                                  : (std::uint64_t{1} << plan.parts.size()) - 1;
}

WaitPolicy wait_policy(const Channels& channels, const MessageIo::Options& options) {
  const auto is_mpi = [](const auto& channel) { return !channel->is_shared(); };
  const bool has_joined = options.joined != nullptr && options.joined->has_own();
  return {.is_oversubscribed = options.is_oversubscribed,
          .naps = has_joined || std::ranges::any_of(channels.sends, is_mpi) ||
                  std::ranges::any_of(channels.receives, is_mpi)};
}

}  // namespace

MessageIo::MessageIo(RankState& state, RankMemory& memory, EndOfStream& end, Channels channels,
                     Options options)
    : state_(state),
      memory_(memory),
      end_(end),
      channels_(std::move(channels)),
      options_(options),
      waits_(wait_policy(channels_, options), state.timeline),
      sends_(channels_.sends.size()),
      receives_(channels_.receives.size()) {
  for (const Step& step : state.program.steps)
    if (step.kind == OperationKind::receive && state.program.receives[step.index].kept > 0)
      receives_[step.index].last_use = step.offset + state.program.receives[step.index].kept;
}

void MessageIo::receive(const Step& step) {
  Receiving& receiving = receives_[step.index];
  ReceiveChannel& channel = *channels_.receives[step.index];
  const ChannelPlan& plan = channel.plan();
  if (receiving.closed) {
    for (const ChannelPlan::Part& part : plan.parts)
      memory_.data[state_.slot(step.instance, part.stage)] = Datum::end_of_stream(receiving.paused);
    return;
  }

  state_.timeline.follow(Use::message);
  if (!channel.has_message()) wait_for_message(step.index);

  ++receiving.held;
  const std::byte* const message = channel.message();
  channel.take();
  const auto& envelope = *reinterpret_cast<const Envelope*>(message);
  // After the end of a self-scheduled stream, the frame numbers of the ranks differ.
  const bool is_agreed = !options_.reorders || envelope.after_end == 0;
  if (is_agreed && envelope.frame != state_.frames.of(step))
    throw std::logic_error(fmt::format("rank {} sent frame {}: expected frame {}", plan.peer, envelope.frame,
                                       state_.frames.of(step)));
  receiving.closed = envelope.ended == all_parts(plan);
  receiving.paused = envelope.paused != 0;
  if (receiving.paused) end_.pause();
  if (envelope.after_end != 0 && !receiving.paused) end_.begin_flush();
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const ChannelPlan::Part& part = plan.parts[i];
    const auto& header = *reinterpret_cast<const PartHeader*>(message + part.header);
    memory_.data[state_.slot(step.instance, part.stage)] = {&header.header,
                                                            message + part.header + header.elements,
                                                            (envelope.present >> i & 1U) != 0,
                                                            (envelope.ended >> i & 1U) != 0,
                                                            envelope.cut_off != 0,
                                                            envelope.after_end != 0,
                                                            receiving.paused};
  }
}

void MessageIo::wait_for_message(std::size_t index) {
  ReceiveChannel& channel = *channels_.receives[index];
  Receiving& receiving = receives_[index];
  const RankWaits::Interval wait = wait_until(
      Use::starved, Use::message, [&]() -> Tally& { return starved_at(index); },
      [&] { return channel.has_message(); },
      [&](std::int64_t latest) { channel.sleep_until_message(latest); },
      receiving.shares_processor ? nullptr : &receiving.arrivals);
  note_arrival(index, wait);
}

void MessageIo::note_arrival(std::size_t channel, const RankWaits::Interval& wait) {
  // Shorter waits do not justify sleep or a move to another processor.
  constexpr std::int64_t shortest = 1'000'000;
  if (wait.end - wait.start < shortest || waits_.policy().is_oversubscribed) return;
  const ReceiveChannel& from = *channels_.receives[channel];
  const auto& envelope = *reinterpret_cast<const Envelope*>(from.message());
  Receiving& receiving = receives_[channel];
  receiving.arrivals.came(envelope.sent_ns, wait.end);
  const auto shares_processor = [&] { return from.is_shared() && envelope.processor == ::sched_getcpu(); };
  // The kernel often wakes a process on the processor of its waker, even if other processors are free.
  if (shares_processor() && !options_.is_pinned) keep_off(static_cast<std::size_t>(envelope.processor));
  receiving.shares_processor = shares_processor();
}

void MessageIo::send(const Step& step) {
  Sending& sending = sends_[step.index];
  if (sending.closed) return;
  state_.timeline.follow(Use::message);
  if (!sending.acquired) wait_for_room(step.index);

  SendChannel& channel = *channels_.sends[step.index];
  const ChannelPlan& plan = channel.plan();
  const MessageLayout& layout = memory_.layout.messages[step.index];
  std::byte* const message = channel.message(channel.sent());
  Envelope envelope{
      .frame = state_.frames.of(step), .sent_ns = state_.timeline.since(), .processor = ::sched_getcpu()};
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const Datum& datum = memory_.data[state_.slot(step.instance, plan.parts[i].stage)];
    if (datum.ended) envelope.ended |= std::uint64_t{1} << i;
    if (datum.cut_off) envelope.cut_off = 1;
    if (datum.after_end) envelope.after_end = 1;
    if (datum.paused) envelope.paused = 1;
    if (!datum.present) continue;
    envelope.present |= std::uint64_t{1} << i;
    std::byte* const at = message + plan.parts[i].header;
    const std::byte* elements = datum.bytes;
    if (layout.elements[i]) {
      std::byte* const place = message + *layout.elements[i];
      if (elements != place) copy_out(place, elements, plan.parts[i].bytes);
      elements = place;
    }
    auto& header = *reinterpret_cast<PartHeader*>(at);
    if (datum.header != &header.header) header.header = *datum.header;
    header.elements = elements - at;
  }
  channel.send(envelope);
  sending.acquired = false;
  sending.closed = envelope.ended == all_parts(plan);
}

void MessageIo::release_messages() {
  for (std::size_t c = 0; c < receives_.size(); ++c) {
    Receiving& receiving = receives_[c];
    if (receiving.held == 0 ||
        (receiving.last_use > 0 && receiving.oldest + receiving.last_use > state_.round))
      continue;
    channels_.receives[c]->release();
    --receiving.held;
    ++receiving.oldest;
  }
}

void MessageIo::release_all() {
  for (std::size_t c = 0; c < receives_.size(); ++c)
    for (; receives_[c].held > 0; --receives_[c].held) channels_.receives[c]->release();
}

bool MessageIo::has_ended() const {
  return std::ranges::all_of(sends_, &Sending::closed) && std::ranges::all_of(receives_, &Receiving::closed);
}

void MessageIo::wait_until_read() {
  std::int64_t since = state_.timeline.enter(Use::blocked);
  Wait wait(waits_.policy(), since);
  for (std::size_t i = 0; i < channels_.sends.size(); ++i) {
    SendChannel& channel = *channels_.sends[i];
    while (!channel.is_idle()) {
      wait.pause(progress(),
                 [&](std::int64_t latest) { channel.sleep_until_released(channel.released(), latest); });
    }
    const std::int64_t now = now_ns();
    blocked_at(i).add(static_cast<std::uint64_t>(now - std::exchange(since, now)));
  }
}

FrameBuffer MessageIo::output_buffer(std::size_t slot, std::size_t bytes) {
  const Home& home = *memory_.layout.homes[slot];
  if (!home.channel) return {&memory_.headers[slot], memory_.arena.frame(home.place).first(bytes)};
  if (!sends_[*home.channel].acquired) wait_for_room(*home.channel);
  const SendChannel& channel = *channels_.sends[*home.channel];
  std::byte* const message = channel.message(channel.sent());
  return {&reinterpret_cast<PartHeader*>(message + channel.plan().parts[home.part].header)->header,
          {message + *memory_.layout.messages[*home.channel].elements[home.part], bytes}};
}

bool MessageIo::has_room(std::size_t channel) {
  SendChannel& own = *channels_.sends[channel];
  if (!own.has_room()) return false;
  return std::ranges::all_of(memory_.layout.messages[channel].referring, [&](std::size_t other) {
    return sends_[other].closed || own.sent() < channels_.sends[other]->released() + own.depth();
  });
}

void MessageIo::wait_for_room(std::size_t channel) {
  sends_[channel].acquired = true;
  if (has_room(channel)) return;
  wait_until(
      Use::blocked, state_.timeline.use(), [&]() -> Tally& { return blocked_at(channel); },
      [&] { return has_room(channel); }, [&](std::int64_t latest) { sleep_until_room(channel, latest); });
}

void MessageIo::sleep_until_room(std::size_t channel, std::int64_t latest_ns) {
  SendChannel& own = *channels_.sends[channel];
  if (!own.has_room()) return own.sleep_until_released(own.released(), latest_ns);
  // Another channel still refers to the message.
  for (const std::size_t other : memory_.layout.messages[channel].referring) {
    const std::uint64_t released = channels_.sends[other]->released();
    if (own.sent() >= released + own.depth())
      return channels_.sends[other]->sleep_until_released(released, latest_ns);
  }
}

bool MessageIo::progress() {
  if (!polls_mpi()) return false;
  if (options_.joined != nullptr) options_.joined->advance();
  // One call lets MPI make progress with all messages under way.
  const auto goes_on = [](const auto& channel) { return channel->progress(); };
  if (!std::ranges::any_of(channels_.sends, goes_on)) (void)std::ranges::any_of(channels_.receives, goes_on);
  const auto moves = [](const auto& channel) { return channel->is_moving(); };
  return std::ranges::any_of(channels_.sends, moves) || std::ranges::any_of(channels_.receives, moves);
}

}  // namespace takt::pipeline
