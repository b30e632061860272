#pragma once
/// Options and callbacks of a launch.

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
  /// Hosts of the ranks.
  Site site = {};
  /// Number of stages of the pipeline; messages about other stages do not come from this run's ranks.
  std::size_t stages = 0;
  /// Arguments of every rank; the program is this one.
  std::vector<std::string> arguments;
  /// The same without trial runs, for a second start after a failed trial run, whose frames are not those of
  /// the stream. Empty: the run has failed then.
  std::vector<std::string> without_trial = {};
  /// Contents of --schedule, for ranks without the file (sent_schedule.hpp).
  std::optional<std::string> sent_schedule = {};
  /// Settings for restarts after the death of a rank; nothing: no restart.
  std::optional<Restart> restart = {};
  /// For an attempt (supervisor.hpp): where its ranks find the state of the former one (restart_folder.hpp);
  /// callbacks for parts of checkpoints and for new files of sinks; the record before it.
  std::filesystem::path restart_folder = {};
  std::function<void(Checkpoint)> on_checkpoint = {};
  std::function<void(const BegunFiles&)> on_begun_file = {};
  RunRecord before = {};
  /// Time after which a silent rank counts as dead and the run is ended.
  Time silence{std::chrono::seconds{10}};
  /// The same for a rank before its first message: it loads plug-ins and plans FFTs first.
  Time start_up{std::chrono::seconds{60}};
  /// Time without a finished frame after which a draining run is ended; 0: never.
  Time standstill{0};
  /// Length of the stream, after which a running one is to end. Nothing: unlimited.
  std::optional<Time> stream_time = {};
  /// Checks a requested change of a parameter.
  ParameterUpdates::Check check_change = {};
  /// Called several times a second while the ranks work.
  std::function<void(const RunRecord&)> on_progress;
  /// Called ten times a second while the ranks work, for closer monitoring.
  std::function<void(const RunRecord&)> on_update;
  /// Polled for control commands, ten times a second.
  std::function<std::vector<ControlCommand>()> commands;
  /// Called when the run deviates from its plan (run_watch.hpp), once for each deviation.
  std::function<void(const std::string&)> on_warning;
  /// Window over which a run is compared with its plan.
  Time window = usual_window;
  /// Makes another plan, on its own thread, when the run deviates from its plan (adapting.hpp); the ranks
  /// then adopt it. If empty, they keep their plan.
  Replan replan;
};

}  // namespace takt::pipeline
