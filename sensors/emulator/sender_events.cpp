#include "sensors/emulator/sender_events.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

/// Rounds to the nearest number of packets.
std::int64_t packets_in(Time time, double packets_per_second) {
  return std::llround(std::chrono::duration<double>(time).count() * packets_per_second);
}

void check_lane(const std::optional<std::size_t>& lane, std::size_t lanes) {
  if (lane && *lane >= lanes)
    throw ConfigError(fmt::format("lane {} does not exist: expected 0 to {}", *lane, lanes - 1));
}

void check_moment(Time at) {
  if (at < Time(0))
    throw ConfigError(
        fmt::format("{} is before the beginning of the stream: expected 0 or later", to_string(at)));
}

}  // namespace

void validate(const SenderEvents& events, std::size_t lanes, double packets_per_second) {
  for (const SenderEvents::Pause& pause : events.pauses) {
    check_moment(pause.at);
    check_lane(pause.lane, lanes);
    if (packets_in(pause.length, packets_per_second) < 1)
      throw ConfigError(fmt::format("a pause of {} drops no packet: expected {} or more",
                                    to_string(pause.length),
                                    to_string(Time(std::llround(std::ceil(1e9 / packets_per_second))))));
  }
  for (const SenderEvents::ClockJump& jump : events.clock_jumps) {
    check_moment(jump.at);
    check_lane(jump.lane, lanes);
    if (packets_in(jump.step, packets_per_second) == 0)
      throw ConfigError(fmt::format("a step of {} is less than half a packet: expected {} or more",
                                    to_string(jump.step),
                                    to_string(Time(std::llround(std::ceil(1e9 / packets_per_second))))));
  }
  for (const SenderEvents::LaneSwap& swap : events.lane_swaps) {
    check_moment(swap.at);
    check_lane(swap.one, lanes);
    check_lane(swap.other, lanes);
    if (swap.one == swap.other)
      throw ConfigError(fmt::format("lane {} cannot be swapped with itself", swap.one));
  }
}

SenderEventStage::SenderEventStage(const SenderEvents& events, std::size_t lanes, const PacketCodec& codec)
    : codec_(codec), lanes_(lanes), jumped_(events.clock_jumps.size()) {
  const double rate = codec.packets_per_second();
  validate(events, lanes, rate);
  const auto number_at = [&](Time at) { return static_cast<std::uint64_t>(packets_in(at, rate)); };
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    for (const SenderEvents::Pause& pause : events.pauses)
      if (pause.lane.value_or(lane) == lane)
        lanes_[lane].pauses.push_back({number_at(pause.at), number_at(pause.at) + number_at(pause.length)});
    for (std::size_t i = 0; i < events.clock_jumps.size(); ++i) {
      const SenderEvents::ClockJump& jump = events.clock_jumps[i];
      if (jump.lane.value_or(lane) == lane)
        lanes_[lane].steps.push_back({number_at(jump.at), packets_in(jump.step, rate), i});
    }
  }
  for (const SenderEvents::LaneSwap& swap : events.lane_swaps)
    swaps_.push_back({number_at(swap.at), swap.one, swap.other});
}

std::optional<LanePacket> SenderEventStage::take(const LanePacket& packet) {
  Lane& lane = lanes_[packet.lane];
  const std::uint64_t number = lane.packets++;
  const std::optional<std::int64_t> utc_ns = codec_.utc_of(packet.bytes);
  const bool is_another_time = utc_ns ? utc_ns != lane.utc_ns : !lane.utc_ns;
  if (utc_ns) lane.utc_ns = utc_ns;
  std::int64_t shift = 0;
  for (Step& step : lane.steps) {
    if (number >= step.at && is_another_time && !std::exchange(step.has_begun, true) && !jumped_[step.jump]) {
      jumped_[step.jump] = true;
      ++counts_.clock_jumps;
    }
    if (step.has_begun) shift += step.packets;
  }
  const auto is_within = [&](const Interval& pause) { return number >= pause.begin && number < pause.end; };
  if (std::ranges::any_of(lane.pauses, is_within)) {
    ++counts_.paused;
    return {};
  }
  LanePacket sent = packet;
  if (shift != 0) {
    bytes_.assign(packet.bytes.begin(), packet.bytes.end());
    if (!codec_.shift(bytes_, shift))
      throw WorkError(
          fmt::format("packet {} of lane {} cannot be shifted by {} packets: its format has no such time",
                      number, packet.lane, shift));
    sent.bytes = bytes_;
    ++counts_.shifted;
  }
  for (const Swap& swap : swaps_)
    if (number >= swap.at && (sent.lane == swap.one || sent.lane == swap.other))
      sent.lane = sent.lane == swap.one ? swap.other : swap.one;
  if (sent.lane != packet.lane) ++counts_.swapped;
  return sent;
}

}  // namespace takt::sensors
