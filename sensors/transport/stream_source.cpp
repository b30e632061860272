#include "sensors/transport/stream_source.hpp"

#include <chrono>
#include <utility>

#include "core/system/clock.hpp"
#include "core/system/quiet_thread.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

void validate(const StreamOptions& options) {
  if (options.depth < 1) throw OptionError("depth", "a depth of 0 frames is not valid: expected 1 or more");
}

StreamSource::StreamSource(FrameType type, const StreamOptions& options, std::size_t own_slots)
    : type_(std::move(type)), options_((validate(options), options)), own_slots_(own_slots) {}

void StreamSource::start() {
  if (pool_.size() > 0)
    queue_.emplace(pool_.size(), FrameMemory(pool_, type_.size()));
  else
    queue_.emplace(least_pool(), type_.size());
  open();
  thread_ = quiet_thread([this] { run(); });
  started_.store(true, std::memory_order_release);
}

/// Setting `finished_` must be the last action.
void StreamSource::run() {
  try {
    receive();
    const std::int64_t end = now_ns();
    end_ns_.store(end, std::memory_order_release);
    finish(end);
  } catch (...) {
    failure_ = std::current_exception();
  }
  finished_.store(true, std::memory_order_release);
  queue_->wake();
}

SourceState StreamSource::poll(FrameView& frame) {
  // Reads the flag first: frames handed over before it was set are then visible below.
  const bool finished = finished_.load(std::memory_order_acquire);
  if (FrameSlot* slot = queue_->front()) {
    frame = {&slot->header, slot->bytes};
    last_ingested_ns_ = slot->header.ingested_ns;
    queue_->take();
    return SourceState::frame;
  }
  if (!finished) return SourceState::waiting;
  if (failure_) std::rethrow_exception(failure_);
  return SourceState::ended;
}

std::optional<Reception> StreamSource::reception() const {
  constexpr std::size_t read = 64 << 10;
  const std::size_t frame = type_.size().count, bytes = std::min(frame, read);
  if (bytes == 0) return std::nullopt;
  return Reception{.messages = (frame + bytes - 1) / bytes, .bytes = Bytes{bytes}, .is_datagrams = false};
}

bool StreamSource::is_cut_off() const {
  return last_ingested_ns_ >= end_ns_.load(std::memory_order_acquire);
}

SourceCounters StreamSource::counters() const {
  if (!started_.load(std::memory_order_acquire)) return {};
  SourceCounters counters = counted();
  counters.details.push_back({"queue_high_water", "frames", queue_->high_water()});
  return counters;
}

std::vector<std::string> StreamSource::warnings() const {
  return started_.load(std::memory_order_acquire) ? warned() : std::vector<std::string>();
}

void StreamSource::end() {
  stop();
  if (thread_.joinable()) thread_.join();
}

void StreamSource::wait_for_room(std::size_t slots) const {
  constexpr std::chrono::microseconds rest(100);
  if (options_.when_full == WhenFull::drop) return;
  while (queue_->free_slots() < slots && !stopping()) std::this_thread::sleep_for(rest);
}

}  // namespace takt::sensors
