#pragma once
/// What a rank reports while it runs and when it stops: plain data, sent as JSON.

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
  /// The rank's waits for it; of all ranks that have it together.
  Counts<Scope::intake> waits = {};
  /// Counters that its kind names itself.
  std::vector<sensors::Counter> details = {};
  /// What the user should know about its set-up.
  std::vector<std::string> warnings = {};
  /// Of a stream that cannot be had again, after a restart: the frames that are lost for good.
  std::optional<std::uint64_t> lost_in_outage = {};
};

struct SinkStatus {
  std::size_t stage = 0;
  Counts<Scope::sink> counts = {};
  std::string location = {};
  /// Counters that its kind names itself, known at the end only.
  std::vector<sensors::Counter> counters = {};
  /// What the user should know.
  std::vector<std::string> warnings = {};
};

/// Frames/s that reached a sink; nothing if they are too few for a rate. The frames of a
/// repetition may arrive together: the rate is that from the end of the first one on.
[[nodiscard]] std::optional<double> sustained_rate(std::uint64_t timed, std::uint64_t first_ns,
                                                   std::uint64_t last_ns, std::uint32_t replicas);

/// What a rank has counted of another one: how long it waited for its frames, and for it to take some.
struct WaitStatus {
  int rank = 0;
  Counts<Scope::peer> counts = {};
};

struct RankStatus {
  int rank = 0;
  std::string host;
  std::int64_t pid = 0;
  /// The rank has said everything: its stream is over, or it was asked to stop.
  bool final = false;
  /// Why the rank failed, and in which stage; empty while all is well.
  std::string failure;
  std::optional<std::size_t> failed_stage;
  /// The failure is the user's (a wrong option or file), not the work's.
  bool is_config_error = false;
  /// Whether its stream has begun. Before that a rank that is asked to end ends at once.
  bool has_begun = false;
  /// What it is doing at this moment, and the task that is at work in it; empty where none is.
  Phase phase = Phase::none;
  std::string task;
  /// What it has waited for outside of the run for a second and more (core/system/outside_wait.hpp); or
  /// empty.
  std::string waits_for;
  Counts<Scope::rank> counts;
  /// By the ranks that it has waited for.
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

/// What all ranks together have of each source and in each sink, in the order of the stages: several may have
/// one.
[[nodiscard]] std::vector<SourceStatus> sources_of(const std::vector<std::optional<RankStatus>>& ranks);
[[nodiscard]] std::vector<SinkStatus> sinks_of(const std::vector<std::optional<RankStatus>>& ranks);

/// As one line of JSON, and back.
[[nodiscard]] std::string to_text(const RankStatus& status);
[[nodiscard]] RankStatus status_from_text(std::string_view text);

}  // namespace takt::pipeline
