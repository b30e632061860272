#include "sensors/backlog/backlogged_sink.hpp"

#include "core/clock.hpp"
#include "sensors/quiet_thread.hpp"

namespace takt::sensors {

namespace {

constexpr std::int64_t look_ns = 100'000'000;

}  // namespace

BackloggedSink::~BackloggedSink() {
  // What waits is not written where a run fails.
  has_failed_.store(true, std::memory_order_release);
  backlog_.end();
  if (thread_.joinable()) thread_.join();
}

void BackloggedSink::open() {
  sink_->open();
  thread_ = quiet_thread([this] { run(); });
}

void BackloggedSink::run() {
  try {
    while (!has_failed_.load(std::memory_order_acquire) && !backlog_.is_over()) {
      const auto frame = backlog_.take(now_ns() + look_ns);
      if (!frame) continue;
      sink_->write(*frame);
      backlog_.release();
    }
  } catch (...) {
    failure_ = std::current_exception();
    has_failed_.store(true, std::memory_order_release);
    backlog_.abandon();
  }
}

void BackloggedSink::join() {
  thread_.join();
  if (failure_) std::rethrow_exception(failure_);
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
