#pragma once
/// What a rank tells about itself while it runs and when it stops: plain data, sent as JSON.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units.hpp"
#include "pipeline/watching/activity.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

/// Buckets of a Histogram.
using Buckets = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

struct StageStatus {
  std::size_t stage = 0;
  std::uint64_t runs = 0;
  std::uint64_t given = 0;
  std::uint64_t total_ns = 0;
  Buckets time;
  /// See StageTally.
  std::uint64_t overstated = 0;
};

struct SourceStatus {
  std::size_t stage = 0;
  sensors::SourceCounters counters;
  /// What the user should know about its set-up.
  std::vector<std::string> warnings;
  /// Of a stream that cannot be had again, behind a restart: the frames that nobody has.
  std::optional<std::uint64_t> lost_in_outage = {};
  /// How long the rank has waited for its frames; all ranks that have it together.
  std::uint64_t awaited_ns = 0;
};

struct SinkStatus {
  std::size_t stage = 0;
  std::uint64_t passed = 0;
  std::uint64_t delivered = 0;
  std::uint64_t most_combined = 0;
  std::uint64_t rest = 0;
  std::uint64_t timed = 0;
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = 0;
  Buckets latency;
  std::string location;
  /// Known at the end only.
  std::vector<sensors::Counter> counters;
  /// What the user should know.
  std::vector<std::string> warnings;
};

/// Frames a second that came to their end in a sink; nothing where they are too few to say. The frames of a
/// repetition may arrive together: the rate is that from the end of the first one on.
[[nodiscard]] std::optional<double> sustained_rate(std::uint64_t timed, std::uint64_t first_ns,
                                                   std::uint64_t last_ns, std::uint32_t replicas);

/// Time in which a rank waited for another one: for its frames, or for it to take some.
struct WaitStatus {
  int rank = 0;
  std::uint64_t starved_ns = 0;
  std::uint64_t blocked_ns = 0;
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
  /// What the loop's time went into, all of it: Use says what these are.
  std::uint64_t compute_ns = 0, message_ns = 0, starved_ns = 0, blocked_ns = 0, other_ns = 0;
  /// Of compute, message, other: at what kernels still had when the stream had ended.
  std::uint64_t rest_ns = 0;
  /// For how long it was watched while it worked at frames; how long of that its thread had a processor, and
  /// how long it was ready to work and another one had it.
  std::uint64_t watched_ns = 0, used_ns = 0, delayed_ns = 0;
  /// How long it waited for which rank.
  std::vector<WaitStatus> waits;
  std::vector<StageStatus> stages;
  std::vector<SourceStatus> sources;
  std::vector<SinkStatus> sinks;

  /// Bytes of memory that it holds, and held when its stream began; 0: not known.
  std::uint64_t resident = 0, resident_at_first = 0;

  /// `running task 'fft'`, `setting up task 'pipe', which waits for a reader of the pipe '/tmp/p'`.
  [[nodiscard]] std::string activity() const;
  /// Compute, message, other.
  [[nodiscard]] std::uint64_t work_ns() const { return compute_ns + message_ns + other_ns; }
};

/// What all ranks together have of each source and in each sink, in the order of the stages: several may have
/// one.
[[nodiscard]] std::vector<SourceStatus> sources_of(const std::vector<std::optional<RankStatus>>& ranks);
[[nodiscard]] std::vector<SinkStatus> sinks_of(const std::vector<std::optional<RankStatus>>& ranks);

/// As one line of JSON, and back.
[[nodiscard]] std::string to_text(const RankStatus& status);
[[nodiscard]] RankStatus status_from_text(std::string_view text);

}  // namespace takt::pipeline
