#pragma once
/// Runs ranks of this program under mpirun, from their start to their end.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/config/site.hpp"
#include "pipeline/launch/jobs/child_process.hpp"
#include "pipeline/launch/jobs/rank_output.hpp"
#include "pipeline/launch/jobs/run_cgroup.hpp"
#include "pipeline/launch/jobs/stop_requests.hpp"
#include "pipeline/protocol/rank_link.hpp"
#include "pipeline/protocol/run_folder.hpp"

namespace takt::pipeline {

struct JobOptions {
  /// Nothing: one rank on each host.
  std::optional<std::size_t> ranks = 1;
  /// Hosts of the ranks.
  Site site = {};
  /// Arguments of every rank; the program is this one.
  std::vector<std::string> arguments;
  std::vector<std::string> mpirun_options = {};
  /// Variables for the ranks, in addition to those of every job.
  Variables environment = {};
  /// True to hide the output of ranks and their starter.
  bool is_quiet = false;
};

/// A job. It counts SIGINT and SIGTERM during its lifetime. No process of the job outlives it.
class Job {
 public:
  /// Throws WorkError if mpirun cannot be started, ConfigError for an invalid site.
  explicit Job(const JobOptions& options);

  /// Waits for messages, prints the ranks' output to stderr, and returns the messages.
  [[nodiscard]] std::vector<RankMessage> wait(std::chrono::milliseconds longest = std::chrono::milliseconds{
                                                  100});
  /// Returns the status of mpirun from waitpid; nothing while it runs.
  [[nodiscard]] std::optional<int> ended() { return mpirun_.ended(); }

  /// Returns the number of stop requests.
  [[nodiscard]] int stop_requests() const { return stop_requests_.count(); }
  void ask_to_drain() { link_.ask_to_drain(); }
  /// Returns the number of requests to write transient buffers.
  [[nodiscard]] int trigger_requests() const { return stop_requests_.triggers(); }
  void ask_to_trigger() { link_.ask_to_trigger(); }
  void ask_to_change_plan(const std::string& plan) { link_.ask_to_change_plan(plan); }
  /// Returns the link for requests of other programs and to the ranks (LauncherLink).
  [[nodiscard]] LauncherLink& link() { return link_; }
  /// Returns the lines that ranks have printed since the last call.
  [[nodiscard]] std::vector<std::string> take_lines() { return std::exchange(lines_, {}); }
  /// Asks all ranks to end and kills those that still run 3 s after the first call.
  void end();

  /// A private directory, removed after the run.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  /// Returns the ranks' and mpirun's output with the reasons for deaths of ranks.
  [[nodiscard]] const RankOutput& output() const { return output_; }

 private:
  const StopRequests stop_requests_;
  const RunFolder folder_;
  /// Ends the remaining processes on this host after mpirun has ended.
  struct CgroupToEnd {
    const RunCgroup cgroup;
    ~CgroupToEnd() { cgroup.end(); }
  };
  const CgroupToEnd cgroup_{RunCgroup(folder_.path())};
  LauncherLink link_;
  ChildProcess mpirun_;
  RankOutput output_;
  bool is_quiet_;
  std::vector<std::string> lines_;
  std::optional<std::int64_t> ending_since_;
};

}  // namespace takt::pipeline
