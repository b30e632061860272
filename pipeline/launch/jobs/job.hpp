#pragma once
/// Ranks of this program under mpirun, from their start to their end.

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
  /// Nothing: one on each host.
  std::optional<std::size_t> ranks = 1;
  /// On which hosts.
  Site site = {};
  /// Arguments of every rank; the program is this one.
  std::vector<std::string> arguments;
  std::vector<std::string> mpirun_options = {};
  /// Variables for the ranks, besides those that every job needs.
  Variables environment = {};
  /// What ranks and their starter print is not shown.
  bool is_quiet = false;
};

/// Counts SIGINT and SIGTERM while it lives. No process of the job outlives it.
class Job {
 public:
  /// Throws WorkError when mpirun cannot be started, ConfigError for a site where it cannot.
  explicit Job(const JobOptions& options);

  /// Waits a moment for news; shows what the ranks print on stderr, and gives what they have told.
  [[nodiscard]] std::vector<RankMessage> wait(std::chrono::milliseconds longest = std::chrono::milliseconds{
                                                  100});
  /// How mpirun has ended, as waitpid gives it; nothing while it runs.
  [[nodiscard]] std::optional<int> ended() { return mpirun_.ended(); }

  /// How often the user has asked to stop.
  [[nodiscard]] int stop_requests() const { return stop_requests_.count(); }
  void ask_to_drain() { link_.ask_to_drain(); }
  /// How often the user has asked that transient buffers are written.
  [[nodiscard]] int trigger_requests() const { return stop_requests_.triggers(); }
  void ask_to_trigger() { link_.ask_to_trigger(); }
  void ask_to_change_plan(const std::string& plan) { link_.ask_to_change_plan(plan); }
  /// What other programs ask of the run (LauncherLink), and what its ranks are asked for.
  [[nodiscard]] LauncherLink& link() { return link_; }
  /// What the ranks have printed since the last call.
  [[nodiscard]] std::vector<std::string> take_lines() { return std::exchange(lines_, {}); }
  /// Asks all ranks to end; those that still run 3 s after the first call are killed.
  void end();

  /// Private to the run; gone with it.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  /// Why a rank died, as far as the ranks or mpirun have said it.
  [[nodiscard]] const RankOutput& output() const { return output_; }

 private:
  const StopRequests stop_requests_;
  const RunFolder folder_;
  /// What is left here once mpirun has ended.
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
  std::optional<std::int64_t> told_to_end_;
};

}  // namespace takt::pipeline
