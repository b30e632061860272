#pragma once
/// Runs several streams together to their ends.

#include <functional>
#include <string>
#include <vector>

#include "pipeline/streams/streams_report.hpp"

namespace takt::pipeline {

struct RunStreamsOptions {
  /// Options of takt run for every stream.
  std::vector<std::string> more;
  /// Places of the machine's processors.
  ProcessorPlaces places;
  /// Called several times a second with `fast 120 frames, slow 60 frames`.
  std::function<void(const std::string&)> on_progress;
  /// Called for lines that a stream prints on stderr.
  std::function<void(const std::string& stream, const std::string& line)> on_line;
};

/// Starts every stream in its own processes and waits for all of them: the end or failure of one does not
/// affect the others. SIGINT or SIGTERM drains all, a second signal ends them immediately. Throws WorkError
/// if one cannot be started.
[[nodiscard]] std::vector<StreamResult> run_streams(const std::vector<PlacedStream>& streams,
                                                    const RunStreamsOptions& options);

}  // namespace takt::pipeline
