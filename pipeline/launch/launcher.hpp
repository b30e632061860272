#pragma once
/// Starts the ranks of a run under mpirun, follows them, and ends them when something goes wrong.

#include <functional>
#include <string>
#include <vector>

#include "pipeline/config/site.hpp"
#include "pipeline/launch/change_desk.hpp"
#include "pipeline/launch/run_record.hpp"
#include "pipeline/launch/run_watch.hpp"
#include "pipeline/launch/run_wish.hpp"
#include "pipeline/planning/adaptation.hpp"

namespace takt::pipeline {

struct LaunchOptions {
  std::size_t ranks = 1;
  /// Where they come up.
  Site site = {};
  /// How many the pipeline has; what speaks of others is not from one of our ranks.
  std::size_t stages = 0;
  /// Arguments of every rank; the program is this one.
  std::vector<std::string> arguments;
  /// The same for ranks that do not rehearse: they are started when a rehearsal fails, whose frames are not
  /// those of the stream. Empty: the run has failed then.
  std::vector<std::string> without_rehearsal = {};
  /// A rank that says nothing for so long is taken for dead, and the run is ended.
  Time silence{std::chrono::seconds{10}};
  /// The same for a rank that has not said anything yet: it loads plug-ins and plans FFTs first.
  Time start_up{std::chrono::seconds{60}};
  /// A run that drains, and in which no task has finished a frame for so long, is ended; 0: never.
  Time standstill{0};
  /// Checks a change of a parameter that somebody asks for.
  ChangeDesk::Check check_change = {};
  /// Called several times a second while the ranks work.
  std::function<void(const RunRecord&)> on_progress;
  /// Called ten times a second while the ranks work, for who watches closely.
  std::function<void(const RunRecord&)> on_news;
  /// Asked for what somebody wants of the run, ten times a second.
  std::function<std::vector<RunWish>()> wishes;
  /// Called when the run turns out otherwise than planned (run_watch.hpp), once for each thing.
  std::function<void(const std::string&)> on_warning;
  /// Over how long a run is compared with its plan.
  Time window = RunWatch::usual_window;
  /// Asked for another plan when the run turns out otherwise than planned, every second window at most; the
  /// ranks change over to what it gives. Without it they keep to their plan.
  std::function<std::optional<PipelinePlan>(const SharedPlan& current, const Observed& observed)> replan;
};

/// Runs to the end. SIGINT or SIGTERM drains the run, a second one ends it at once. Throws WorkError when
/// mpirun cannot be started; every other failure is in the record.
[[nodiscard]] RunRecord launch(const LaunchOptions& options);

/// `rank 1 (host a, pid 7; fft stokes)`: for messages.
[[nodiscard]] std::string describe_rank(const RunRecord& record, std::size_t rank);

}  // namespace takt::pipeline
