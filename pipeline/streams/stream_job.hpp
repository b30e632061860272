#pragma once
/// The processes of one stream: a run of this program with its own launcher and ranks.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <signal.h>

#include "pipeline/launch/jobs/child_process.hpp"
#include "pipeline/streams/placed_stream.hpp"

namespace takt::pipeline {

/// Result of a stream's run.
struct StreamEnd {
  /// As for `takt run`: 0 success, 1 failure, 2 user error; 128 plus the signal if it was killed.
  int exit_code = 0;
  /// The report in JSON; empty if there is none.
  std::string report;
  /// The stream's own reason for a failure; otherwise empty.
  std::string failure;
};

class StreamJob {
 public:
  /// Starts the stream. Its schedule and report are files in `folder`, which must outlive it. `more` are
  /// options of takt run in addition to those of every stream; it runs in `working_folder`, if that is set.
  /// Throws WorkError.
  StreamJob(const PlacedStream& stream, const ProcessorPlaces& places, const std::filesystem::path& folder,
            const std::vector<std::string>& more, const std::string& working_folder = {});

  /// Returns the lines that it has printed since the last call.
  [[nodiscard]] std::vector<std::string> read_lines();
  /// Returns the result once it has ended.
  [[nodiscard]] const std::optional<StreamEnd>& look();
  /// Stops the sources and delivers the frames read; a second call ends it immediately.
  void stop() { process_.signal(SIGINT); }

  [[nodiscard]] pid_t pid() const { return process_.pid(); }
  [[nodiscard]] int output() const { return process_.output(); }

 private:
  std::filesystem::path report_;
  ChildProcess process_;
  void pull();

  std::vector<std::string> lines_;
  /// Last message of takt.
  std::string last_word_;
  std::optional<StreamEnd> end_;
};

}  // namespace takt::pipeline
