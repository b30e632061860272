#include "pipeline/runtime/sources/source_feed.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/system/clock.hpp"
#include "pipeline/runtime/sources/waiting.hpp"
#include "pipeline/watching/activity.hpp"
#include "sensors/backlog/backlogged_source.hpp"

namespace takt::pipeline {

using sensors::SourceState;

SourceState SourceFeed::poll(std::uint64_t frame, std::int64_t now, sensors::FrameView& view,
                             std::optional<std::int64_t> seen) {
  // A rank may request an earlier frame of a shared stream after a later one.
  if (has_ended_ && frame >= end_) return SourceState::ended;
  if (limits_.frames && frame >= *limits_.frames) {
    if (!is_shared_) keep_counters();
    end(frame);
    return SourceState::ended;
  }
  if (!is_shared_) {
    stop_when_due(now);
  } else if (frame != next_) {
    source_->seek(frame);
    next_ = frame;
  }
  const SourceState state = source_->poll_at(view, seen);
  if (state == SourceState::ended) end(frame);
  if (state == SourceState::frame && is_shared_) {
    next_ = frame + 1;
    lent_.add(frame, taken_, released_);
  }
  if (state == SourceState::frame) {
    if (before_ && !is_repeated_ && taken_ == before_->place.frames && !source_->resumed())
      resume_with(*view.header);
    if (follows_stream_) note(*view.header);
    if (ages_) count_age(*view.header);
    ++taken_;
    if (view.header->missing_parts > 0) ++incomplete_;
    if (!first_frame_ns_) {
      first_frame_ns_ = now_ns();
      begun_utc_ns_ = utc_now_ns();
    }
  }
  return state;
}

void SourceFeed::measure_age() {
  const double hertz = source_->type().rate_hz;
  if (hertz <= 0) return;
  frame_ns_ = std::llround(1e9 / hertz);
  ages_ = std::make_unique<Histogram>();
}

void SourceFeed::count_age(const sensors::FrameHeader& header) {
  if (header.utc_ns == 0 || header.ingested_ns == 0) return;
  const std::int64_t complete_utc_ns = utc_now_ns() - (now_ns() - header.ingested_ns);
  ages_->record(Time(complete_utc_ns - header.utc_ns - frame_ns_));
}

void LentFrames::add(std::uint64_t frame, std::uint64_t taken, std::uint64_t released) {
  if (taken - released == numbers_.size()) {
    std::vector<std::uint64_t> larger(std::max<std::size_t>(least_room, 2 * numbers_.size()));
    for (std::uint64_t k = released; k < taken; ++k) larger[k & (larger.size() - 1)] = numbers_[place_of(k)];
    numbers_ = std::move(larger);
  }
  numbers_[place_of(taken)] = frame;
}

void SourceFeed::sleep(std::int64_t latest_ns) {
  // Longest delay until a request to stop, or the end of the duration, is noticed.
  constexpr std::int64_t longest = 10'000'000;
  const std::int64_t now = now_ns();
  latest_ns = std::min(latest_ns, now + longest);
  const std::optional<std::int64_t> next = source_->next_frame_ns();
  if (!next) return source_->wait(latest_ns);
  // A late frame delays all frames after it.
  constexpr std::int64_t caution = 10'000;
  const std::int64_t asked = *next - awakening_.margin() - caution;
  if (asked <= now) return spin_pause();
  const std::int64_t alarm = Awakening::alarm(now, asked);
  source_->wait(std::min(latest_ns, alarm));
  if (alarm != asked || latest_ns < alarm) return;
  const std::int64_t woken = now_ns();
  if (woken >= asked) awakening_.woke(asked, woken);
}

void SourceFeed::note(const sensors::FrameHeader& header) {
  if (taken_ == (before_ ? before_->place.frames : 0)) {
    if (taken_ > 0 && source_->resumed()) {
      stand_.last = before_->place.last;
      stand_.follow(header);
    } else {
      stand_.begin(header);
    }
  } else {
    stand_.follow(header);
  }
  has_epochs_ = has_epochs_ || header.epoch > 0;
}

sensors::SourceCounters SourceFeed::counters() const {
  const std::lock_guard lock(counters_mutex_);
  if (counters_at_limit_) return *counters_at_limit_;
  sensors::SourceCounters counters = source_->counters();
  if (!before_ || is_repeated_) return counters;
  add(counters, before_->counters);
  counters.lost += lost_in_outage_.value_or(0);
  return counters;
}

void SourceFeed::resume(const SavedStage::Stream& before, bool is_joined) {
  before_ = before;
  is_joined_ = is_joined;
  taken_ = released_ = before.place.frames;
  incomplete_ = before.counters.incomplete;
  if (before.begun_utc_ns != 0) {
    begun_utc_ns_ = before.begun_utc_ns;
    first_frame_ns_ = now_ns() - (utc_now_ns() - before.begun_utc_ns);
  }
  stand_.step = before.step;
  is_repeated_ = source_->resume_after(before.place);
  if (before.place.frames == 0) is_repeated_ = true;
}

SavedStage::Stream SourceFeed::save() const {
  SavedStage::Stream stream{.place = {.frames = taken_, .last = stand_.last},
                            .counters = counters(),
                            .begun_utc_ns = begun_utc_ns_.value_or(0),
                            .step = stand_.step};
  // Without a frame since the last checkpoint, the place of that checkpoint still holds.
  if (before_ && taken_ == before_->place.frames)
    stream.place.last = before_->place.last;
  else
    renumber(stream.place.last);
  stream.counters.ingested = taken_;
  stream.counters.incomplete = incomplete_;
  sensors::leave_out_waiting(stream.counters);
  if (has_epochs_) return stream;
  // The source may have lost and dropped frames after the frame of the checkpoint.
  const sensors::SourceCounters own = source_->counters();
  std::uint64_t later = own.lost + own.dropped - std::min(own.lost + own.dropped, stand_.holes);
  const std::uint64_t dropped_later = std::min(later, own.dropped);
  stream.counters.dropped -= dropped_later;
  stream.counters.lost -= std::min(later - dropped_later, stream.counters.lost);
  return stream;
}

std::optional<std::uint64_t> SourceFeed::lost_in_outage() const {
  if (const auto resumed = source_->resumed()) return resumed->lost;
  const std::lock_guard lock(counters_mutex_);
  return lost_in_outage_;
}

void SourceFeed::resume_with(const sensors::FrameHeader& first) {
  sensors::StreamStand before;
  before.last = before_->place.last;
  before.step = stand_.step;
  before.rate_hz = source_->type().rate_hz;
  numbers_ = is_joined_ ? sensors::begin_anew(before, first) : sensors::resume(before, first);
  const std::lock_guard lock(counters_mutex_);
  lost_in_outage_ = numbers_.lost;
}

bool SourceFeed::is_due_to_stop(std::int64_t now) const {
  const bool time_is_up =
      limits_.duration && first_frame_ns_ && now - *first_frame_ns_ >= limits_.duration->count();
  return time_is_up || drains_->load(std::memory_order_relaxed);
}

void SourceFeed::end_early() {
  if (has_ended_) return;
  source_->stop();
  end(0);
}

void SourceFeed::stop_when_due(std::int64_t now) {
  if (was_stopped_ || !is_due_to_stop(now)) return;
  was_stopped_ = true;
  set_phase(Phase::draining);
  source_->stop();
}

void SourceFeed::keep_counters() {
  sensors::SourceCounters counters = this->counters();
  // Waiting frames are not part of the run.
  counters.ingested = taken_;
  counters.incomplete = incomplete_;
  const std::lock_guard lock(counters_mutex_);
  counters_at_limit_ = std::move(counters);
}

void SourceFeed::end(std::uint64_t frame) {
  has_ended_ = true;
  end_ = std::min(end_, is_shared_ ? frame : 0);
  set_phase(Phase::draining);
}

}  // namespace takt::pipeline
