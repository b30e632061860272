#pragma once
/// Activities of a rank over time, for chosen frames: plain data, sent as JSON.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace takt::pipeline {

/// A task's own code; a message's way into and out of a channel; an output copied into its message; waiting
/// for a frame; waiting for another rank to take one.
enum class TraceKind : std::uint8_t { task, send, receive, copy, starved, blocked };
inline constexpr std::string_view trace_kind_names[] = {"task", "send",    "receive",
                                                        "copy", "starved", "blocked"};

struct TraceEvent {
  std::int64_t start_ns = 0, end_ns = 0;
  /// Of the source, counted from the start of the run.
  std::uint64_t frame = 0;
  TraceKind kind = TraceKind::task;
  /// The stage of a task, a copy or a wait in it; of a send, a receive or a wait in one the channel's tag.
  std::uint32_t subject = 0;
  /// The other rank of a channel; -1 where there is none.
  std::int32_t peer = -1;
  friend bool operator==(const TraceEvent&, const TraceEvent&) = default;
};

/// In order of time, without overlaps, by the clock of the source's rank.
struct RankTrace {
  int rank = 0;
  std::string host;
  std::vector<TraceEvent> events;
  /// Events of chosen frames for which there was no room any more.
  std::uint64_t lost = 0;
  friend bool operator==(const RankTrace&, const RankTrace&) = default;
};

/// Columns of JSON on one line, and back; throws ConfigError where the text is none.
[[nodiscard]] std::string to_text(const RankTrace& trace);
[[nodiscard]] RankTrace rank_trace_from_text(std::string_view text);

/// Which frames are recorded: each `every`-th from `first` on, the last one at most.
struct TracedFrames {
  std::uint64_t first = 0, last = 199, every = 1;
  [[nodiscard]] bool contain(std::uint64_t frame) const {
    return frame >= first && frame <= last && (frame - first) % every == 0;
  }
};

/// `0-199`, `1000`, `0-99999/100`. Throws ConfigError that says what was expected.
[[nodiscard]] TracedFrames parse_traced_frames(std::string_view text);

}  // namespace takt::pipeline
