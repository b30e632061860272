#pragma once
/// Keeps what a rank does for chosen frames.

#include <cstdint>
#include <vector>

#include "pipeline/protocol/rank_trace.hpp"

namespace takt::pipeline {

/// Fed by the timeline, whose moments it shares, so that it looks at no clock. All room is there from the
/// beginning: what does not fit is counted. Used by the executor's thread alone; read when that is done.
class TraceRecorder {
 public:
  /// 40 bytes each.
  static constexpr std::size_t usual_room = 100'000;

  explicit TraceRecorder(const TracedFrames& frames, std::size_t room = usual_room)
      : frames_(frames), room_(room), is_next_wanted_(frames.contain(0)) {
    events_.reserve(room);
  }

  /// What the loop does from now on.
  void begin(std::uint64_t frame, TraceKind kind, std::uint32_t subject, std::int32_t peer) {
    // Steps of one frame follow each other.
    if (frame != next_.frame) is_next_wanted_ = frames_.contain(frame);
    next_ = {.frame = frame, .kind = kind, .subject = subject, .peer = peer};
  }
  /// The timeline's use changes; what was begun last is what it changes to.
  void enter() {
    now_ = next_;
    is_wanted_ = is_next_wanted_;
  }
  /// The use that ends had begun then.
  void took(TraceKind waiting_or_work, std::int64_t start_ns, std::int64_t end_ns) {
    if (!is_wanted_ || end_ns <= start_ns) return;
    if (events_.size() == room_) {
      ++lost_;
      return;
    }
    TraceEvent& event = events_.emplace_back(now_);
    event.start_ns = start_ns;
    event.end_ns = end_ns;
    event.kind = waiting_or_work;
  }
  /// The kind of the step that the ending use belongs to.
  [[nodiscard]] TraceKind step() const { return now_.kind; }

  /// Moments less this, for the clock of another rank.
  [[nodiscard]] RankTrace trace(std::int64_t clock_offset_ns) const {
    RankTrace trace{.rank = 0, .host = {}, .events = events_, .lost = lost_};
    for (TraceEvent& event : trace.events) {
      event.start_ns -= clock_offset_ns;
      event.end_ns -= clock_offset_ns;
    }
    return trace;
  }

 private:
  TracedFrames frames_;
  std::size_t room_;
  TraceEvent now_, next_;
  bool is_wanted_ = false, is_next_wanted_;
  std::vector<TraceEvent> events_;
  std::uint64_t lost_ = 0;
};

}  // namespace takt::pipeline
