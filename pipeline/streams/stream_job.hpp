#pragma once
/// The processes of one stream: a run of this program with a launcher and ranks of its own.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <signal.h>

#include "pipeline/launch/jobs/child_process.hpp"
#include "pipeline/streams/placed_stream.hpp"

namespace takt::pipeline {

/// How a stream's run has ended.
struct StreamEnd {
  /// As of `takt run`: 0 well, 1 failed, 2 wrong; 128 and the signal where it was killed.
  int exit_code = 0;
  /// The report in JSON; empty where there is none.
  std::string report;
  /// Why it failed, as it said itself; empty when it went well.
  std::string failure;
};

class StreamJob {
 public:
  /// Starts it. Its schedule and its report are files in `folder`, which outlives it. `more` are options of
  /// takt run beside those that every stream has; it runs in `working_folder`, where one is named. Throws
  /// WorkError.
  StreamJob(const PlacedStream& stream, const ProcessorPlaces& places, const std::filesystem::path& folder,
            const std::vector<std::string>& more, const std::string& working_folder = {});

  /// What it has printed since the last call, a line each.
  [[nodiscard]] std::vector<std::string> read_lines();
  /// Once it has ended, how.
  [[nodiscard]] const std::optional<StreamEnd>& look();
  /// Sources stop, what was taken in is delivered; the second time it ends at once.
  void stop() { process_.signal(SIGINT); }

  [[nodiscard]] pid_t pid() const { return process_.pid(); }
  [[nodiscard]] int output() const { return process_.output(); }

 private:
  std::filesystem::path report_;
  ChildProcess process_;
  void pull();

  std::vector<std::string> lines_;
  /// The last thing that takt said.
  std::string last_word_;
  std::optional<StreamEnd> end_;
};

}  // namespace takt::pipeline
