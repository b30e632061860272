#pragma once
/// Report of several streams: required and sustained rates, and disturbances between streams.

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
    /// Reasons for restarts, in their order. Frames count from the first start, rates from the last one.
    std::vector<std::string> restarts;
    std::optional<Time> latency_p99;
    StreamUse use;
  };
  std::size_t processors = 0;
  Time cycle{0};
  std::vector<Stream> streams;
  std::vector<Disturbance> disturbances;
  /// Further notes for the user, one sentence each.
  std::vector<std::string> notes;

  /// Returns 0 for success, 2 after a user error, 1 after a failure.
  [[nodiscard]] int exit_code() const;
};

[[nodiscard]] StreamsReport make_report(std::vector<StreamResult> results, std::size_t processors,
                                        Time cycle);

/// Formats the report for users in at most 80 columns.
[[nodiscard]] std::string to_text(const StreamsReport& report);
/// Formats the report as JSON, described in docs/how-to/streams.md, including each stream's own report.
[[nodiscard]] std::string to_json(const StreamsReport& report);

}  // namespace takt::pipeline
