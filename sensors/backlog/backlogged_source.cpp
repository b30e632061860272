#include "sensors/backlog/backlogged_source.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/system/clock.hpp"
#include "core/system/quiet_thread.hpp"

namespace takt::sensors {

namespace {

/// Latency of a stop command.
constexpr std::int64_t nap_ns = 10'000'000;

}  // namespace

BackloggedSource::~BackloggedSource() {
  is_abandoned_.store(true, std::memory_order_relaxed);
  if (backlog_) backlog_->abandon();
  if (thread_.joinable()) thread_.join();
}

bool BackloggedSource::resume_after(const StreamPlace& place) {
  if (options_.kept.empty()) return source_->resume_after(place);
  recover(place);
  // A sender with replay needs to repeat only the frames that are not kept here.
  StreamPlace so_far = place;
  so_far.frames += backlog_->counts().received;
  if (goes_on_) so_far.last = stand_.last;
  return source_->resume_after(so_far);
}

void BackloggedSource::recover(const StreamPlace& place) {
  backlog_.emplace(options_, type().size());
  stand_.last = place.last;
  stand_.rate_hz = type().rate_hz;
  bool is_begun = place.frames > 0;
  const FrameBacklog::Kept kept = backlog_->continue_after(place.frames, place.last);
  for (const FrameHeader& header : kept.waiting) {
    if (is_begun)
      stand_.follow(header);
    else
      stand_.begin(header);
    is_begun = true;
  }
  goes_on_ = is_begun;
  dropped_before_ = kept.gone.dropped;
  dropped_last_ = kept.gone.dropped - kept.gone_between.dropped;
  lost_before_ = kept.gone.lost + stand_.holes - std::min(stand_.holes, kept.gone_between.dropped);
}

std::optional<Source::Resumed> BackloggedSource::resumed() const {
  if (!goes_on_) return std::nullopt;
  const std::int64_t lost = lost_in_outage_.load(std::memory_order_acquire);
  if (lost < 0) return Resumed{};
  return Resumed{static_cast<std::uint64_t>(lost)};
}

void BackloggedSource::start() {
  if (!options_.kept.empty() && !backlog_) recover({});
  if (!backlog_) backlog_.emplace(options_, type().size());
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
      put(frame);
      source_->release();
    }
  } catch (...) {
    failure_ = std::current_exception();
    has_failed_.store(true, std::memory_order_release);
  }
  backlog_->end();
}

void BackloggedSource::begin_numbers(FrameHeader first) {
  numbers_ = resume(stand_, first);
  // Frames dropped last are missing here, too.
  const std::uint64_t lost = numbers_->lost - std::min(numbers_->lost, dropped_last_);
  lost_in_outage_.store(static_cast<std::int64_t>(lost), std::memory_order_release);
  numbers_->renumber(first);
  if (first.epoch != stand_.last.epoch) backlog_->miss(lost);
}

void BackloggedSource::put(const FrameView& frame) {
  if (options_.kept.empty()) return backlog_->put(frame, source_->is_cut_off());
  FrameHeader header = *frame.header;
  if (goes_on_ && !numbers_) begin_numbers(header);
  if (numbers_) numbers_->renumber(header);
  backlog_->put({&header, frame.bytes}, source_->is_cut_off());
}

SourceState BackloggedSource::poll(FrameView& frame) {
  // Reads the end first: frames put before it are then visible below.
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
  counters.dropped += dropped_before_ + counts.dropped + counts.decimated;
  counters.lost += lost_before_ + static_cast<std::uint64_t>(std::max<std::int64_t>(
                                      lost_in_outage_.load(std::memory_order_acquire), 0));
  for (Counter& counter : backlog_->counters()) counters.details.push_back(std::move(counter));
  return counters;
}

std::vector<std::string> BackloggedSource::warnings() const {
  std::vector<std::string> warnings = source_->warnings();
  if (!is_started_.load(std::memory_order_acquire)) return warnings;
  for (std::string& warning : backlog_->warnings()) warnings.push_back(std::move(warning));
  return warnings;
}

void leave_out_waiting(SourceCounters& counters) {
  const auto find = [&](std::string_view name) {
    return std::ranges::find(counters.details, name, &Counter::name);
  };
  const auto waiting = find("backlog_waiting"), received = find("backlog_received");
  if (waiting == counters.details.end() || received == counters.details.end()) return;
  received->value -= std::min(received->value, std::exchange(waiting->value, 0));
}

}  // namespace takt::sensors
