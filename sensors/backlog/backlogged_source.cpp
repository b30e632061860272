#include "sensors/backlog/backlogged_source.hpp"

#include "core/clock.hpp"
#include "sensors/quiet_thread.hpp"

namespace takt::sensors {

namespace {

/// So soon a wish to stop is noticed.
constexpr std::int64_t nap_ns = 10'000'000;

}  // namespace

BackloggedSource::~BackloggedSource() {
  is_abandoned_.store(true, std::memory_order_relaxed);
  if (backlog_) backlog_->abandon();
  if (thread_.joinable()) thread_.join();
}

void BackloggedSource::start() {
  backlog_.emplace(options_, type().size());
  source_->start();
  thread_ = quiet_thread([this] { run(); });
  is_started_.store(true, std::memory_order_release);
}

void BackloggedSource::run() {
  try {
    bool has_stopped = false;
    while (!is_abandoned_.load(std::memory_order_relaxed)) {
      if (!has_stopped && stops_.load(std::memory_order_relaxed)) {
        source_->stop();
        has_stopped = true;
      }
      FrameView frame;
      const SourceState state = source_->poll(frame);
      if (state == SourceState::ended) break;
      if (state == SourceState::waiting) {
        std::int64_t latest = now_ns() + nap_ns;
        if (const auto next = source_->next_frame_ns()) latest = std::min(latest, *next);
        source_->wait(latest);
        continue;
      }
      backlog_->put(frame, source_->is_cut_off());
      source_->release();
    }
  } catch (...) {
    failure_ = std::current_exception();
    has_failed_.store(true, std::memory_order_release);
  }
  backlog_->end();
}

SourceState BackloggedSource::poll(FrameView& frame) {
  // The end first: what was put before it is then seen below.
  const bool is_over = backlog_->is_over();
  if (const auto next = backlog_->take(0)) {
    frame = *next;
    return SourceState::frame;
  }
  if (!is_over) return SourceState::waiting;
  if (has_failed_.load(std::memory_order_acquire)) std::rethrow_exception(failure_);
  return SourceState::ended;
}

SourceCounters BackloggedSource::counters() const {
  SourceCounters counters = source_->counters();
  if (!is_started_.load(std::memory_order_acquire)) return counters;
  const FrameBacklog::Counts counts = backlog_->counts();
  counters.ingested = counts.given;
  counters.dropped += counts.dropped + counts.decimated;
  for (Counter& counter : backlog_->counters()) counters.details.push_back(std::move(counter));
  return counters;
}

std::vector<std::string> BackloggedSource::warnings() const {
  std::vector<std::string> warnings = source_->warnings();
  if (!is_started_.load(std::memory_order_acquire)) return warnings;
  for (std::string& warning : backlog_->warnings()) warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace takt::sensors
