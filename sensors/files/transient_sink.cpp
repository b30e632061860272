#include "sensors/files/transient_sink.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/saved_state.hpp"

namespace takt::sensors {

namespace {

constexpr double most_frames = 1e6;
/// Event times are float64 seconds since 1970, exact to 0.24 us: a shorter overlap is none.
constexpr std::int64_t shortest_overlap_ns = 1000;

/// Returns the frames of the time `before`, and the current one.
double frames_of(const TransientOptions& options, const FrameType& type) {
  // 0.07 s at 100 Hz are 7 frames, however their product is rounded.
  constexpr double rounding = 1e-6;
  return std::ceil(std::chrono::duration<double>(options.before).count() * type.rate_hz - rounding) + 1;
}

}  // namespace

void validate(const TransientOptions& options, const FrameType& type) {
  if (type.rate_hz <= 0)
    throw ConfigError("the rate of frames is not known, but the number of frames to buffer needs it");
  if (frames_of(options, type) > most_frames)
    throw ConfigError(fmt::format("{} is {:.0f} frames: expected at most {:.0f}",
                                  takt::to_string(options.before), frames_of(options, type), most_frames));
}

Bytes memory_of(const TransientOptions& options, const FrameType& type) {
  return Bytes{static_cast<std::uint64_t>(frames_of(options, type)) * type.size().count};
}

TransientSink::TransientSink(std::unique_ptr<Sink> sink, const FrameType& type,
                             const TransientOptions& options)
    : sink_(std::move(sink)),
      options_((validate(options, type), options)),
      frame_ns_(std::llround(1e9 / type.rate_hz)),
      capacity_(static_cast<std::size_t>(frames_of(options, type))),
      memory_(capacity_, type.size()) {}

void TransientSink::trigger(const std::optional<UtcSpan>& when) {
  const std::lock_guard lock(mutex_);
  triggers_.push_back(when);
}

void TransientSink::write(const FrameView& frame) {
  follow_triggers(frame.header);
  if (until_ns_ && frame.header->utc_ns < *until_ns_) return dump(*frame.header, frame.bytes);
  remember(frame);
}

std::optional<std::vector<std::byte>> TransientSink::save() const {
  const auto own = sink_->save();
  if (!own) return std::nullopt;
  StateWriter state;
  state.add(std::span<const std::byte>(*own));
  state.add(until_ns_).add(dumps_).add(written_).add(forgotten_ + kept_.size()).add(first_).add(epoch_);
  const std::lock_guard lock(mutex_);
  state.add(triggers_);
  return state.take();
}

void TransientSink::resume(std::span<const std::byte> state) {
  StateReader reader(state);
  std::vector<std::byte> own;
  reader.get_all(own);
  reader.get(until_ns_).get(dumps_).get(written_).get(forgotten_).get(first_).get(epoch_);
  reader.get_all(triggers_);
  reader.end();
  sink_->resume(own);
}

void TransientSink::close() {
  follow_triggers(kept_.empty() ? nullptr : &kept_.back().header);
  sink_->close();
}

void TransientSink::follow_triggers(const FrameHeader* newest) {
  std::vector<std::optional<UtcSpan>> triggers;
  {
    const std::lock_guard lock(mutex_);
    triggers.swap(triggers_);
  }
  for (const std::optional<UtcSpan>& trigger : triggers) {
    if (!trigger && newest == nullptr) continue;
    const UtcSpan when =
        trigger.value_or(newest != nullptr ? UtcSpan{newest->utc_ns, newest->utc_ns + 1} : UtcSpan{});
    begin_dump(when.from_ns - options_.before.count(), when.until_ns + options_.after.count());
  }
}

void TransientSink::begin_dump(std::int64_t from_ns, std::int64_t until_ns) {
  // Data before the end of the last dump belong to it, unless the trigger came too late for that.
  const bool goes_on = until_ns_ && from_ns <= *until_ns_ &&
                       (kept_.empty() || kept_.front().header.utc_ns <= *until_ns_ + frame_ns_);
  if (!goes_on) {
    first_.reset();
    ++dumps_;
  }
  until_ns_ = goes_on ? std::max(*until_ns_, until_ns) : until_ns;
  while (!kept_.empty() && kept_.front().header.utc_ns < *until_ns_) {
    const Kept oldest = kept_.front();
    kept_.pop_front();
    if (oldest.header.utc_ns + frame_ns_ > from_ns + shortest_overlap_ns)
      dump(oldest.header, memory_.frame(oldest.slot));
    else
      ++forgotten_;
  }
}

void TransientSink::dump(FrameHeader header, std::span<const std::byte> bytes) {
  if (!first_ || first_->epoch != header.epoch) {
    if (written_ > 0) ++epoch_;
    first_ = header;
  }
  header.sequence -= first_->sequence;
  header.epoch = epoch_;
  sink_->write({&header, bytes});
  ++written_;
}

void TransientSink::remember(const FrameView& frame) {
  if (kept_.size() == capacity_) {
    kept_.pop_front();
    ++forgotten_;
  }
  const std::span<std::byte> to = memory_.frame(next_slot_);
  std::memcpy(to.data(), frame.bytes.data(), to.size());
  kept_.push_back({*frame.header, next_slot_});
  next_slot_ = (next_slot_ + 1) % capacity_;
}

std::vector<Counter> TransientSink::counters() const {
  std::vector<Counter> counters = sink_->counters();
  counters.push_back({"transient_dumps", "", dumps_});
  counters.push_back({"transient_written", "frames", written_});
  counters.push_back({"transient_forgotten", "frames", forgotten_ + kept_.size()});
  return counters;
}

}  // namespace takt::sensors
