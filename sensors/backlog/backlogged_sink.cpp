#include "sensors/backlog/backlogged_sink.hpp"

#include "core/system/clock.hpp"
#include "core/system/quiet_thread.hpp"

namespace takt::sensors {

namespace {

constexpr std::int64_t look_ns = 100'000'000;

}  // namespace

BackloggedSink::~BackloggedSink() {
  // Waiting frames are not written if a run fails.
  has_failed_.store(true, std::memory_order_release);
  backlog_.end();
  if (thread_.joinable()) thread_.join();
}

void BackloggedSink::open() {
  sink_->open();
  start();
}

void BackloggedSink::start() {
  thread_ = quiet_thread([this] { run(); });
}

std::optional<FrameView> BackloggedSink::begin_write() {
  const std::lock_guard lock(turn_);
  between_ = is_saved_between_ ? sink_->save() : std::nullopt;
  const auto frame = backlog_.take(0);
  is_writing_ = frame.has_value();
  return frame;
}

void BackloggedSink::end_write() {
  const std::lock_guard lock(turn_);
  backlog_.release();
  is_writing_ = false;
}

void BackloggedSink::run() {
  try {
    while (!has_failed_.load(std::memory_order_acquire) && !backlog_.is_over()) {
      backlog_.wait(now_ns() + look_ns);
      const auto frame = begin_write();
      if (!frame) continue;
      sink_->write(*frame);
      end_write();
    }
  } catch (...) {
    failure_ = std::current_exception();
    has_failed_.store(true, std::memory_order_release);
    backlog_.fail();
  }
}

void BackloggedSink::join() {
  if (thread_.joinable()) thread_.join();
  if (failure_) std::rethrow_exception(failure_);
}

std::optional<std::vector<std::byte>> BackloggedSink::save() const {
  if (keeps_frames_on_disk_) return std::nullopt;
  const std::lock_guard lock(turn_);
  const auto own = is_writing_ ? between_ : sink_->save();
  is_saved_between_ = is_writing_;
  if (!own) return std::nullopt;
  StateWriter state;
  state.add(std::span<const std::byte>(*own));
  backlog_.save(state);
  return state.take();
}

void BackloggedSink::resume(std::span<const std::byte> state) {
  StateReader reader(state);
  std::vector<std::byte> own;
  reader.get_all(own);
  backlog_.load(reader);
  reader.end();
  sink_->resume(own);
  start();
}

void BackloggedSink::write(const FrameView& frame) {
  if (has_failed_.load(std::memory_order_acquire)) join();
  backlog_.put(frame);
}

void BackloggedSink::close() {
  backlog_.end();
  join();
  sink_->close();
}

std::vector<Counter> BackloggedSink::counters() const {
  std::vector<Counter> counters;
  if (!thread_.joinable()) counters = sink_->counters();
  for (Counter& counter : backlog_.counters()) counters.push_back(std::move(counter));
  return counters;
}

std::vector<std::string> BackloggedSink::warnings() const {
  std::vector<std::string> warnings = sink_->warnings();
  for (std::string& warning : backlog_.warnings()) warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace takt::sensors
