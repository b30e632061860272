#pragma once
/// Status of a rank, during a run and at its end: plain data, sent as JSON.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/protocol/figure_values.hpp"
#include "pipeline/watching/activity.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

struct StageStatus {
  std::size_t stage = 0;
  Counts<Scope::task> counts = {};
};

struct SourceStatus {
  std::size_t stage = 0;
  Counts<Scope::source> counts = {};
  /// The rank's waits for the source; the sum over all ranks that share it.
  Counts<Scope::intake> waits = {};
  /// Counters of this kind of source.
  std::vector<sensors::Counter> details = {};
  /// Warnings about its set-up.
  std::vector<std::string> warnings = {};
  /// After a restart: frames of a live stream that are lost for good.
  std::optional<std::uint64_t> lost_in_outage = {};
};

struct SinkStatus {
  std::size_t stage = 0;
  Counts<Scope::sink> counts = {};
  std::string location = {};
  /// Counters of this kind of sink, available at the end.
  std::vector<sensors::Counter> counters = {};
  /// Warnings for the user.
  std::vector<std::string> warnings = {};
};

/// Returns the frames/s that reached a sink, from the end of the first iteration on, since the frames of an
/// iteration may arrive together; nothing after too few frames.
[[nodiscard]] std::optional<double> sustained_rate(std::uint64_t timed, std::uint64_t first_ns,
                                                   std::uint64_t last_ns, std::uint32_t replicas);

/// A rank's waits for another rank: for its frames, and for its free buffers.
struct WaitStatus {
  int rank = 0;
  Counts<Scope::peer> counts = {};
};

struct RankStatus {
  int rank = 0;
  std::string host;
  std::int64_t pid = 0;
  /// Whether this is the last report: the stream has ended, or the rank was asked to stop.
  bool final = false;
  /// Cause and stage of a failure; empty without one.
  std::string failure;
  std::optional<std::size_t> failed_stage;
  /// Whether the failure is a mistake of the user, such as a wrong option or file.
  bool is_config_error = false;
  /// Whether its stream has begun; before that, a rank ends at once on request.
  bool has_begun = false;
  /// Current activity, and the active task; empty without one.
  Phase phase = Phase::none;
  std::string task;
  /// What it waits for outside of the run, after a second (core/system/outside_wait.hpp); or empty.
  std::string waits_for;
  Counts<Scope::rank> counts;
  /// One entry per rank that it waited for.
  std::vector<WaitStatus> waits;
  std::vector<StageStatus> stages;
  std::vector<SourceStatus> sources;
  std::vector<SinkStatus> sinks;

  /// `running task 'fft'`, `setting up task 'pipe', which waits for a reader of the pipe '/tmp/p'`.
  [[nodiscard]] std::string activity() const;
  /// Compute, message, other.
  [[nodiscard]] std::uint64_t work_ns() const {
    return counts["compute"] + counts["message"] + counts["other"];
  }
  /// All time of its loop.
  [[nodiscard]] std::uint64_t loop_ns() const { return work_ns() + counts["starved"] + counts["blocked"]; }
};

/// Return the merged status of each source and sink over all ranks, in the order of the stages.
[[nodiscard]] std::vector<SourceStatus> sources_of(const std::vector<std::optional<RankStatus>>& ranks);
[[nodiscard]] std::vector<SinkStatus> sinks_of(const std::vector<std::optional<RankStatus>>& ranks);

/// Convert a status to one line of JSON, and back.
[[nodiscard]] std::string to_text(const RankStatus& status);
[[nodiscard]] RankStatus status_from_text(std::string_view text);

}  // namespace takt::pipeline
