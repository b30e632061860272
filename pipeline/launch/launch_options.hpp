#pragma once
/// What is to be started, and who wants to hear of it.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/config/restart.hpp"
#include "pipeline/config/site.hpp"
#include "pipeline/launch/adapting.hpp"
#include "pipeline/launch/control_command.hpp"
#include "pipeline/launch/parameter_updates.hpp"
#include "pipeline/launch/run_watch.hpp"
#include "pipeline/planning/adaptation.hpp"
#include "pipeline/protocol/checkpoint.hpp"
#include "pipeline/protocol/restart_folder.hpp"
#include "pipeline/protocol/run_record.hpp"

namespace takt::pipeline {

struct LaunchOptions {
  std::size_t ranks = 1;
  /// Where they come up.
  Site site = {};
  /// How many the pipeline has; what speaks of others is not from one of our ranks.
  std::size_t stages = 0;
  /// Arguments of every rank; the program is this one.
  std::vector<std::string> arguments;
  /// The same without trial runs: they are started when a trial run fails, whose frames are not
  /// those of the stream. Empty: the run has failed then.
  std::vector<std::string> without_trial = {};
  /// Of --schedule, for ranks that need not have the file (sent_schedule.hpp).
  std::optional<std::string> sent_schedule = {};
  /// What becomes of it when a rank dies: nothing more, or this.
  std::optional<Restart> restart = {};
  /// Of an attempt (supervisor.hpp): where its ranks find the one before (restart_folder.hpp); called with
  /// their parts of checkpoints, and with files that sinks begin; what had happened before it.
  std::filesystem::path restart_folder = {};
  std::function<void(Checkpoint)> on_checkpoint = {};
  std::function<void(const BegunFiles&)> on_begun_file = {};
  RunRecord before = {};
  /// A rank that says nothing for so long is taken for dead, and the run is ended.
  Time silence{std::chrono::seconds{10}};
  /// The same for a rank that has not said anything yet: it loads plug-ins and plans FFTs first.
  Time start_up{std::chrono::seconds{60}};
  /// A run that drains, and in which no task has finished a frame for so long, is ended; 0: never.
  Time standstill{0};
  /// How long its stream lasts; one that still runs then is to end. Nothing: nobody says.
  std::optional<Time> stream_time = {};
  /// Checks a change of a parameter that somebody asks for.
  ParameterUpdates::Check check_change = {};
  /// Called several times a second while the ranks work.
  std::function<void(const RunRecord&)> on_progress;
  /// Called ten times a second while the ranks work, for who watches closely.
  std::function<void(const RunRecord&)> on_news;
  /// Asked for what somebody wants of the run, ten times a second.
  std::function<std::vector<ControlCommand>()> commands;
  /// Called when the run turns out otherwise than planned (run_watch.hpp), once for each thing.
  std::function<void(const std::string&)> on_warning;
  /// Over how long a run is compared with its plan.
  Time window = usual_window;
  /// Asked for another plan, on a thread of its own, when the run turns out otherwise than planned
  /// (adapting.hpp); the ranks change over to what it gives. Without it they keep to their plan.
  Replan replan;
};

}  // namespace takt::pipeline
