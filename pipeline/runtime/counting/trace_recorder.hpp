#pragma once
/// Records what a rank does for chosen frames.

#include <cstdint>
#include <vector>

#include "pipeline/protocol/rank_trace.hpp"

namespace takt::pipeline {

/// The timeline passes its own moments on, so the recorder reads no clock. All memory is allocated at
/// construction; events that do not fit are counted. The executor's thread alone records; read afterwards.
class TraceRecorder {
 public:
  /// Events, of 40 bytes each.
  static constexpr std::size_t usual_room = 100'000;

  explicit TraceRecorder(const TracedFrames& frames, std::size_t room = usual_room)
      : frames_(frames), room_(room), is_next_wanted_(frames.contain(0)) {
    events_.reserve(room);
  }

  /// Sets the frame and the step of the loop from now on.
  void begin(std::uint64_t frame, TraceKind kind, std::uint32_t subject, std::int32_t peer) {
    // Steps of one frame follow each other.
    if (frame != next_.frame) is_next_wanted_ = frames_.contain(frame);
    next_ = {.frame = frame, .kind = kind, .subject = subject, .peer = peer};
  }
  /// Follows a change of the timeline's use: the arguments of the last `begin` apply to the new use.
  void enter() {
    now_ = next_;
    is_wanted_ = is_next_wanted_;
  }
  /// Records the use that ends, with its start and end.
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
  /// Returns the kind of the step that the ending use belongs to.
  [[nodiscard]] TraceKind step() const { return now_.kind; }

  /// Returns the trace with this offset subtracted from all moments, for the clock of another rank.
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
