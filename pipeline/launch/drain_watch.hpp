#pragma once
/// Detects a run that does not end.

#include <cstdint>
#include <optional>
#include <string>

#include "core/units.hpp"
#include "pipeline/protocol/run_record.hpp"

namespace takt::pipeline {

/// A run drains when it was asked to end, when the time of its stream is over, or when a rank's sources have
/// ended. While it does, a task must finish a frame once per `standstill`.
class DrainWatch {
 public:
  /// `standstill`: 0 for no limit. `stream_time`: nothing for a stream that sources end. `now` is now_ns().
  DrainWatch(Time standstill, std::optional<Time> stream_time, std::int64_t now)
      : standstill_(standstill), stream_time_(stream_time), last_run_(now) {}

  /// Returns why the run does not end; empty while it makes progress or does not drain.
  [[nodiscard]] std::string look(const RunRecord& record, bool is_to_end, std::int64_t now);

 private:
  [[nodiscard]] bool drains(const RunRecord& record, bool is_to_end, std::int64_t now);
  [[nodiscard]] bool is_time_over(const RunRecord& record, std::int64_t now);

  Time standstill_;
  std::optional<Time> stream_time_;
  /// When a rank first ran.
  std::optional<std::int64_t> running_ns_;
  /// Number of finished frames at its last change, and the time of that.
  std::uint64_t last_runs_ = 0;
  std::int64_t last_run_;
};

}  // namespace takt::pipeline
