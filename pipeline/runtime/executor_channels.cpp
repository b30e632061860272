/// How an executor receives and sends messages, and waits for room and for MPI.

#include <algorithm>

#include <fmt/format.h>

#include "core/copy_out.hpp"
#include "pipeline/runtime/executor.hpp"
#include "pipeline/runtime/pinning.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

namespace {

/// Envelope::ended when all parts have.
std::uint64_t all_parts(const ChannelPlan& plan) {
  return plan.parts.size() == Envelope::max_parts ? ~std::uint64_t{0}
                                                  : (std::uint64_t{1} << plan.parts.size()) - 1;
}

}  // namespace

void Executor::receive(const Step& step) {
  Receiving& receiving = receives_[step.index];
  ReceiveChannel& channel = *channels_.receives[step.index];
  const ChannelPlan& plan = channel.plan();
  if (receiving.closed) {
    for (const ChannelPlan::Part& part : plan.parts)
      data_[slot(step.instance, part.stage)] = {.ended = true, .after_end = true, .paused = receiving.paused};
    return;
  }

  timeline_.follow(Use::message);
  if (!channel.has_message()) {
    const std::int64_t start = timeline_.enter(Use::starved);
    Wait wait(waiting_, start, patience_.begin(start), receiving.is_beside ? nullptr : &receiving.arrivals);
    std::int64_t told = start;
    do {
      wait.pause(progress(), [&](std::int64_t latest) {
        told = tell_of_wait(Use::starved, starved_at(step.index), told);
        channel.sleep_until_message(latest);
      });
    } while (!channel.has_message());
    const std::int64_t end = timeline_.enter(Use::message);
    patience_.end(end);
    starved_at(step.index).add(static_cast<std::uint64_t>(end - told));
    note_arrival(step.index, start, end);
  }

  receiving.held = true;
  const std::byte* const message = channel.message();
  const auto& envelope = *reinterpret_cast<const Envelope*>(message);
  // Which frames there are not, each rank finds out by itself.
  const bool is_agreed = !collection_ || envelope.after_end == 0;
  if (is_agreed && envelope.frame != frame_of(step.instance))
    throw std::logic_error(fmt::format("rank {} sent frame {}: expected frame {}", plan.peer, envelope.frame,
                                       frame_of(step.instance)));
  receiving.closed = envelope.ended == all_parts(plan);
  receiving.paused = envelope.paused != 0;
  is_paused_ = is_paused_ || receiving.paused;
  if (envelope.after_end != 0 && !receiving.paused) begin_rest();
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const ChannelPlan::Part& part = plan.parts[i];
    const auto& header = *reinterpret_cast<const PartHeader*>(message + part.header);
    data_[slot(step.instance, part.stage)] = {&header.header,
                                              message + part.header + header.elements,
                                              (envelope.present >> i & 1U) != 0,
                                              (envelope.ended >> i & 1U) != 0,
                                              envelope.cut_off != 0,
                                              envelope.after_end != 0,
                                              receiving.paused};
  }
}

void Executor::note_arrival(std::size_t channel, std::int64_t start, std::int64_t end) {
  // Shorter waits are no reason to sleep, nor to go elsewhere.
  constexpr std::int64_t shortest = 1'000'000;
  if (end - start < shortest || waiting_.is_oversubscribed) return;
  const ReceiveChannel& from = *channels_.receives[channel];
  const auto& envelope = *reinterpret_cast<const Envelope*>(from.message());
  Receiving& receiving = receives_[channel];
  receiving.arrivals.came(envelope.sent_ns, end);
  const auto is_beside = [&] { return from.is_shared() && envelope.processor == ::sched_getcpu(); };
  // Who is woken by another process is often put where that runs, though other processors are free.
  if (is_beside() && !options_.processors) keep_off(static_cast<std::size_t>(envelope.processor));
  receiving.is_beside = is_beside();
}

void Executor::send(const Step& step) {
  Sending& sending = sends_[step.index];
  if (sending.closed) return;
  timeline_.follow(Use::message);
  if (!sending.acquired) wait_for_room(step.index);

  SendChannel& channel = *channels_.sends[step.index];
  const ChannelPlan& plan = channel.plan();
  const MessageLayout& layout = layout_.messages[step.index];
  std::byte* const message = channel.message(channel.sent());
  Envelope envelope{
      .frame = frame_of(step.instance), .sent_ns = timeline_.since(), .processor = ::sched_getcpu()};
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const Datum& datum = data_[slot(step.instance, plan.parts[i].stage)];
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

void Executor::release_round() {
  for (std::size_t c = 0; c < receives_.size(); ++c) {
    if (receives_[c].held) channels_.receives[c]->release();
    receives_[c].held = false;
  }
}

bool Executor::has_room(std::size_t channel) {
  SendChannel& own = *channels_.sends[channel];
  if (!own.has_room()) return false;
  return std::ranges::all_of(layout_.messages[channel].referring, [&](std::size_t other) {
    return sends_[other].closed || own.sent() < channels_.sends[other]->released() + own.depth();
  });
}

void Executor::wait_for_room(std::size_t channel) {
  sends_[channel].acquired = true;
  if (has_room(channel)) return;
  const Use use = timeline_.use();
  const std::int64_t start = timeline_.enter(Use::blocked);
  Wait wait(waiting_, start, patience_.begin(start));
  std::int64_t told = start;
  do {
    wait.pause(progress(), [&](std::int64_t latest) {
      told = tell_of_wait(Use::blocked, blocked_at(channel), told);
      sleep_until_room(channel, latest);
    });
  } while (!has_room(channel));
  const std::int64_t end = timeline_.enter(use);
  patience_.end(end);
  blocked_at(channel).add(static_cast<std::uint64_t>(end - told));
}

std::int64_t Executor::tell_of_wait(Use use, Tally& told, std::int64_t since_ns) {
  // Longer than frames are awaited where they come in time, and shorter than anybody looks on.
  constexpr std::int64_t worth_telling = 50'000'000;
  const std::int64_t now = now_ns();
  if (now - since_ns < worth_telling) return since_ns;
  timeline_.enter(use, now);
  told.add(static_cast<std::uint64_t>(now - since_ns));
  return now;
}

void Executor::sleep_until_room(std::size_t channel, std::int64_t latest_ns) {
  SendChannel& own = *channels_.sends[channel];
  if (!own.has_room()) return own.sleep_until_released(own.released(), latest_ns);
  // Its message is read through another channel.
  for (std::size_t other : layout_.messages[channel].referring) {
    const std::uint64_t released = channels_.sends[other]->released();
    if (own.sent() >= released + own.depth())
      return channels_.sends[other]->sleep_until_released(released, latest_ns);
  }
}

bool Executor::progress() {
  if (!waiting_.naps) return false;
  advance_sources();
  // One call lets MPI go on with all that is under way.
  const auto goes_on = [](const auto& channel) { return channel->progress(); };
  if (!std::ranges::any_of(channels_.sends, goes_on)) (void)std::ranges::any_of(channels_.receives, goes_on);
  const auto moves = [](const auto& channel) { return channel->is_moving(); };
  return std::ranges::any_of(channels_.sends, moves) || std::ranges::any_of(channels_.receives, moves);
}

}  // namespace takt::pipeline
