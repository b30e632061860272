#pragma once
/// Runs streams beside each other to their ends.

#include <functional>
#include <string>
#include <vector>

#include "pipeline/streams/streams_report.hpp"

namespace takt::pipeline {

struct RunStreamsOptions {
  /// Options of takt run that every stream gets.
  std::vector<std::string> more;
  /// Of the machine's processors.
  ProcessorPlaces places;
  /// Called several times a second with `fast 120 frames, slow 60 frames`.
  std::function<void(const std::string&)> on_progress;
  /// What a stream prints on stderr.
  std::function<void(const std::string& stream, const std::string& line)> on_line;
};

/// Starts every stream in processes of its own, and waits for all of them: one that ends, or fails, leaves
/// the others as they are. SIGINT or SIGTERM drains all, a second one ends them at once. Throws WorkError
/// when one cannot be started.
[[nodiscard]] std::vector<StreamResult> run_streams(const std::vector<PlacedStream>& streams,
                                                    const RunStreamsOptions& options);

}  // namespace takt::pipeline
