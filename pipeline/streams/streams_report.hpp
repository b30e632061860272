#pragma once
/// What became of several streams: each one's rate beside its promise, and who disturbed whom.

#include <optional>
#include <string>
#include <vector>

#include "pipeline/streams/disturbances.hpp"
#include "pipeline/streams/placed_stream.hpp"
#include "pipeline/streams/stream_job.hpp"

namespace takt::pipeline {

struct StreamResult {
  PlacedStream stream;
  StreamEnd end;
};

struct StreamsReport {
  struct Stream {
    StreamResult result;
    std::uint64_t delivered = 0, lost = 0, dropped = 0;
    std::optional<double> sustained_hz;
    std::optional<bool> held;
    /// Why it was started again, by restart; frames are those of the whole run, rates those since the last.
    std::vector<std::string> restarts;
    std::optional<Time> latency_p99;
    StreamUse use;
  };
  std::size_t processors = 0;
  Time cycle{0};
  std::vector<Stream> streams;
  std::vector<Disturbance> disturbances;
  /// What else a user should know, a sentence each.
  std::vector<std::string> notes;

  /// 0 where all went well; 2 where one was wrong, 1 where one failed.
  [[nodiscard]] int exit_code() const;
};

[[nodiscard]] StreamsReport make_report(std::vector<StreamResult> results, std::size_t processors,
                                        Time cycle);

/// For people, at most 80 columns.
[[nodiscard]] std::string to_text(const StreamsReport& report);
/// For programs: docs/streams.md names what is in it. Each stream's own report is in it whole.
[[nodiscard]] std::string to_json(const StreamsReport& report);

}  // namespace takt::pipeline
