#pragma once
/// A recorded run: what was planned, and what every rank did when, for some frames. As a file, one JSON
/// object: `format: takt-trace/1`, `plan` (RunPlan), `schedule` (a schedule file as text) and `ranks`, of
/// each the columns of its events (protocol/rank_trace.hpp).

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/protocol/rank_trace.hpp"
#include "pipeline/protocol/run_record.hpp"

namespace takt::pipeline {

struct RunTrace {
  RunPlan plan;
  /// A schedule file.
  std::string schedule;
  /// By rank.
  std::vector<RankTrace> ranks;

  /// The first and the last moment; 0 where there is no event.
  [[nodiscard]] std::int64_t begin_ns() const;
  [[nodiscard]] std::int64_t end_ns() const;
};

/// Of a run that was recorded. Throws WorkError where it ended before there was a plan.
[[nodiscard]] RunTrace trace_of(const RunRecord& record);

[[nodiscard]] std::string to_text(const RunTrace& trace);
/// Throws ConfigError where the text is no such file, or names stages or ranks that its plan has not.
[[nodiscard]] RunTrace trace_from_text(std::string_view text, const std::string& file);

/// A message's two ends in a trace.
struct TracedMessage {
  std::size_t from_rank = 0, send = 0, to_rank = 0, receive = 0;
};

/// The messages of which both ends were recorded; `send` and `receive` are indices among their rank's events.
/// O(events log events).
[[nodiscard]] std::vector<TracedMessage> messages_of(const RunTrace& trace);

}  // namespace takt::pipeline
