#include "pipeline/engine/source_feed.hpp"

#include <algorithm>

#include "core/clock.hpp"
#include "pipeline/activity.hpp"
#include "pipeline/engine/waiting.hpp"

namespace takt::pipeline {

using sensors::SourceState;

SourceState SourceFeed::poll(std::uint64_t frame, sensors::FrameView& view) {
  if (has_ended_) return SourceState::ended;
  if (limits_.frames && frame >= *limits_.frames) {
    keep_counters();
    end();
    return SourceState::ended;
  }
  stop_when_due();
  const SourceState state = source_->poll(view);
  if (state == SourceState::ended) end();
  if (state == SourceState::frame) {
    ++taken_;
    if (view.header->missing_parts > 0) ++incomplete_;
    if (!first_frame_ns_) first_frame_ns_ = now_ns();
  }
  return state;
}

void SourceFeed::sleep(std::int64_t latest_ns) const {
  // A request to stop, and the end of the duration, are noticed so soon.
  constexpr std::int64_t longest = 10'000'000;
  // To fall asleep and wake up takes so long, and what is left is spent looking.
  constexpr std::int64_t margin = 100'000;
  const std::int64_t now = now_ns();
  latest_ns = std::min(latest_ns, now + longest);
  if (const std::optional<std::int64_t> next = source_->next_frame_ns())
    latest_ns = std::min(latest_ns, *next - margin);
  if (latest_ns > now)
    source_->wait(latest_ns);
  else
    spin_pause();
}

sensors::SourceCounters SourceFeed::counters() const {
  const std::lock_guard lock(counters_mutex_);
  return counters_at_limit_ ? *counters_at_limit_ : source_->counters();
}

void SourceFeed::stop_when_due() {
  const bool time_is_up =
      limits_.duration && first_frame_ns_ && now_ns() - *first_frame_ns_ >= limits_.duration->count();
  if (was_stopped_ || !(time_is_up || drains_->load(std::memory_order_relaxed))) return;
  was_stopped_ = true;
  set_phase(phase_draining);
  source_->stop();
}

void SourceFeed::keep_counters() {
  sensors::SourceCounters counters = source_->counters();
  // Frames that wait are not part of the run.
  counters.ingested = taken_;
  counters.incomplete = incomplete_;
  const std::lock_guard lock(counters_mutex_);
  counters_at_limit_ = std::move(counters);
}

void SourceFeed::end() {
  has_ended_ = true;
  set_phase(phase_draining);
}

}  // namespace takt::pipeline
