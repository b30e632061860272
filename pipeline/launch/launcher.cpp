#include "pipeline/launch/launcher.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <sys/wait.h>

#include "core/error.hpp"
#include "core/formats/json.hpp"
#include "core/system/clock.hpp"
#include "pipeline/launch/adapting.hpp"
#include "pipeline/launch/drain_watch.hpp"
#include "pipeline/launch/jobs/job.hpp"
#include "pipeline/launch/rank_texts.hpp"
#include "pipeline/launch/run_registry.hpp"
#include "pipeline/launch/run_watch.hpp"
#include "pipeline/launch/supervisor.hpp"
#include "pipeline/protocol/restart_folder.hpp"
#include "pipeline/protocol/sent_schedule.hpp"
#include "pipeline/watching/absence.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

namespace {

/// Returns true if all stages named in a status are among the first `count`.
bool names_stages_below(const RankStatus& status, std::size_t count) {
  const auto is_below = [&](const auto& each) { return each.stage < count; };
  return std::ranges::all_of(status.stages, is_below) && std::ranges::all_of(status.sources, is_below) &&
         std::ranges::all_of(status.sinks, is_below) &&
         status.failed_stage.value_or(0) < std::max<std::size_t>(count, 1);
}

JobOptions job_options(const LaunchOptions& options, const std::vector<std::string>& arguments) {
  // takt's ranks wait with sleeps. Open MPI would yield the core at every poll, and on a core that other
  // processes use regain it milliseconds later.
  JobOptions job{.ranks = options.ranks,
                 .site = options.site,
                 .arguments = arguments,
                 .mpirun_options = {"--oversubscribe"},
                 .environment = {{"OMPI_MCA_mpi_yield_when_idle", "0"}}};
  if (options.sent_schedule) job.environment.emplace_back(schedule_variable, *options.sent_schedule);
  if (!options.restart_folder.empty()) {
    job.environment.emplace_back(restart_variable, options.restart_folder.string());
    // After the death of a rank, mpirun would wait for seconds until the other ranks end by themselves, even
    // if there are none.
    job.environment.emplace_back("OMPI_MCA_odls_base_sigkill_timeout", "0");
  }
  return job;
}

/// One run, from the start of the ranks to their end.
class Run {
 public:
  Run(const LaunchOptions& options, const std::vector<std::string>& arguments)
      : options_(options),
        job_(job_options(options, arguments)),
        changes_(options.check_change, options.ranks),
        last_word_(options.ranks, now_ns()) {
    record_.changes = options.before.changes;
    record_.warnings = options.before.warnings;
    record_.log = options.before.log;
    record_.outages = options.before.outages;
    record_.are_outputs_held = options.before.are_outputs_held;
    record_.probed = options.before.probed;
    record_.ranks.resize(options.ranks);
    record_.folder = job_.folder();
  }

  RunRecord follow() {
    while (!job_.ended()) {
      read();
      changes_.look(job_.link(), now_ns());
      watch_over_ranks();
      follow_commands();
      show_progress();
    }
    read_the_rest();
    changes_.end(job_.link());
    judge();
    return std::move(record_);
  }

  void note(const std::string& warning) {
    log("warning: " + warning);
    record_.warnings.push_back(warning);
    if (options_.on_warning) options_.on_warning(warning);
  }

  /// Returns true if a task failed on artificial frames, before the stream began. Valid at the end.
  [[nodiscard]] bool has_failed_in_trial() const { return has_failed_in_trial_; }

 private:
  /// Reads messages; returns true if there were any.
  bool read(std::chrono::milliseconds longest = std::chrono::milliseconds{100}) {
    const std::vector<RankMessage> messages = job_.wait(longest);
    for (const RankMessage& message : messages) {
      try {
        take(message);
      } catch (const ConfigError&) {
        // Not from one of this run's ranks.
      }
    }
    return !messages.empty();
  }

  void take(const RankMessage& message) {
    switch (message.kind) {
      case RankMessageKind::status:
        return take_status(status_from_text(message.text));
      case RankMessageKind::plan:
        return take_plan(plan_from_text(message.text));
      case RankMessageKind::schedule:
        return take_schedule(message.text);
      case RankMessageKind::drain:
        drains_ = true;
        return;
      case RankMessageKind::prepared:
        return changes_.take_prepared(job_.link(), update_report_from_text(message.text));
      case RankMessageKind::begun:
        return changes_.take_begun(job_.link(), update_report_from_text(message.text), record_);
      case RankMessageKind::probe:
        // Checks that it is JSON.
        (void)parse_json(message.text);
        record_.probe = message.text;
        return;
      case RankMessageKind::checkpoint:
        if (options_.on_checkpoint) options_.on_checkpoint(checkpoint_from_text(message.text));
        return;
      case RankMessageKind::begun_file:
        if (options_.on_begun_file) options_.on_begun_file(begun_files_from_text(message.text));
        return;
      case RankMessageKind::trace:
        record_.traces.push_back(rank_trace_from_text(message.text));
        return;
      case RankMessageKind::progress:
      case RankMessageKind::outcome:
      case RankMessageKind::facts:
      case RankMessageKind::clock:
      case RankMessageKind::met:
      case RankMessageKind::count:
        return;  // Belongs to other jobs.
    }
  }

  void take_plan(RunPlan plan) {
    if (plan.stages.size() != options_.stages) return;
    if (!record_.plan) {
      log(fmt::format("planned by {}", plan.scheduler));
      send_lasting_commands();
    }
    record_.plan = std::move(plan);
  }

  void take_status(RankStatus status) {
    const auto rank = static_cast<std::size_t>(status.rank);
    if (rank >= record_.ranks.size() || !names_stages_below(status, options_.stages)) return;
    // The first reason for a failure counts; a rank that was asked to end sends another status.
    if (record_.ranks[rank] && record_.ranks[rank]->final) return;
    record_.is_config_error = record_.is_config_error || status.is_config_error;
    last_word_[rank] = now_ns();
    record_.ranks[rank] = std::move(status);
  }

  void take_schedule(const std::string& schedule) {
    const bool is_another = !record_.schedule.empty();
    if (is_another) {
      ++record_.plan_changes;
      record_.ranks_at_change = record_.ranks;
    }
    if (is_another && record_.plan)
      note(fmt::format("switched to a plan of {} for {}", record_.plan->scheduler,
                       takt::to_string(Frequency{record_.plan->predicted_hz})));
    record_.schedule = schedule;
    watch_.begin_again();
  }

  /// Switches the ranks to a better plan if the run deviates from its plan and there is one.
  void adapt(std::int64_t now) {
    const Adapting::Step step = adapting_.look(now, watch_, record_, is_to_end());
    if (step.plan) job_.ask_to_change_plan(to_text(SharedPlan{step.plan->summary, to_yaml(*step.plan)}));
    if (!step.note.empty()) note(step.note);
  }

  [[nodiscard]] bool is_to_end() const { return drains_ || job_.stop_requests() > 0; }

  /// Returns true if a rank has ended on request before its stream began; then all ranks must end.
  [[nodiscard]] bool was_given_up() const {
    return is_to_end() && std::ranges::any_of(record_.ranks, [](const auto& rank) {
             return rank && rank->final && !rank->has_begun && rank->failure.empty();
           });
  }

  /// Returns true if no rank has confirmed the start of its stream for so long after a stop request that
  /// reachable ranks would have: what blocks the ranks' messages would also block the end of the run.
  [[nodiscard]] bool are_all_silent() {
    constexpr Time patience{std::chrono::milliseconds{700}};
    // After an outage the stream had begun.
    if (!is_to_end() || !record_.outages.empty()) return false;
    if (!to_end_ns_) to_end_ns_ = now_ns();
    return now_ns() - *to_end_ns_ > patience.count() &&
           std::ranges::none_of(record_.ranks, [](const auto& rank) { return rank && rank->has_begun; });
  }

  /// Returns true if a rank has failed, other than because other ranks left before the stream began.
  [[nodiscard]] bool has_failed_by_itself() const {
    return std::ranges::any_of(record_.ranks, [](const auto& rank) {
      return rank && !rank->failure.empty() && (rank->has_begun || rank->is_config_error);
    });
  }

  /// The last messages of ranks may arrive after mpirun has ended.
  void read_the_rest() {
    // A run that restarts does not wait: missing results are computed again.
    const Time quiet{std::chrono::milliseconds{options_.restart ? 100 : 500}};
    for (std::int64_t last = now_ns(); !all_are_final() && now_ns() - last < quiet.count();)
      if (read()) last = now_ns();
    // Reads the ranks' printed lines.
    (void)read(std::chrono::milliseconds{0});
  }

  [[nodiscard]] bool all_are_final() const {
    return std::ranges::all_of(record_.ranks, [](const auto& rank) { return rank && rank->final; });
  }

  void watch_over_ranks() {
    if (is_to_end()) {
      // After an outage the stream had begun, and is drained.
      if (record_.outages.empty()) job_.link().ask_to_leave();
      job_.ask_to_drain();
    }
    if (was_given_up() || are_all_silent()) job_.end();
    if (const int triggers = job_.trigger_requests(); triggers != triggers_passed_on_) {
      triggers_passed_on_ = triggers;
      job_.ask_to_trigger();
    }
    if (job_.stop_requests() > 1) end("ended at once, on request");
    const std::int64_t now = now_ns();
    if (const std::string reason = drain_watch_.look(record_, is_to_end(), now); !reason.empty()) end(reason);
    const std::int64_t absence = absence_.until(now);
    for (std::int64_t& last : last_word_) last += absence;
    watch_over_the_end(now);
    for (std::size_t rank = 0; rank < record_.ranks.size(); ++rank) {
      const auto& status = record_.ranks[rank];
      const Time limit = status ? silence() : start_up();
      if ((status && status->final) || now - last_word_[rank] <= limit.count()) continue;
      end(fmt::format("{} has not responded for {}{}", describe_rank(record_, rank), takt::to_string(limit),
                      status ? last_seen(record_, rank) : ""));
    }
  }

  /// Ranks that share processors start one after the other.
  [[nodiscard]] Time start_up() const {
    constexpr Time for_each_rank{std::chrono::milliseconds{250}};
    return options_.start_up + options_.ranks * for_each_rank;
  }

  /// Many ranks on one computer delay each other's messages while they all start.
  [[nodiscard]] Time silence() const {
    constexpr std::size_t few = 32;
    constexpr Time for_each_rank{std::chrono::milliseconds{250}};
    return options_.silence + (std::max(options_.ranks, few) - few) * for_each_rank;
  }

  /// Repeats commands to former ranks, which the new ones have not received.
  void send_lasting_commands() {
    if (record_.are_outputs_held) job_.link().ask_to_hold(true);
    if (record_.probed) job_.link().ask_to_probe(record_.probed);
  }

  void follow_commands() {
    for (const std::string& line : job_.take_lines()) log(line);
    if (!options_.commands) return;
    for (const ControlCommand& command : options_.commands()) {
      const auto told = [&](std::string_view what) {
        if (!command.who.empty()) log(fmt::format("{}, as {} wanted", what, command.who));
      };
      switch (command.kind) {
        case ControlCommandKind::end:
          drains_ = true;
          told("the run ends");
          break;
        case ControlCommandKind::trigger:
          job_.ask_to_trigger();
          told("transient buffers are written");
          break;
        case ControlCommandKind::new_files:
          job_.link().ask_for_new_files();
          told("sinks begin new files");
          break;
        case ControlCommandKind::hold:
        case ControlCommandKind::write:
          record_.are_outputs_held = command.kind == ControlCommandKind::hold;
          job_.link().ask_to_hold(record_.are_outputs_held);
          told(record_.are_outputs_held ? "sinks write nothing" : "sinks write, into new files");
          break;
        case ControlCommandKind::probe:
          record_.probe.clear();
          record_.probed = command.stage;
          job_.link().ask_to_probe(command.stage);
          break;
      }
    }
  }

  /// Stores a line with its time of day in UTC.
  void log(std::string_view line) {
    constexpr std::size_t most_lines = 200;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count() % 86400;
    record_.log.push_back(
        fmt::format("{:02}:{:02}:{:02} {}", seconds / 3600, seconds / 60 % 60, seconds % 60, line));
    if (record_.log.size() > most_lines) record_.log.pop_front();
  }

  /// mpirun waits until every process that holds a rank's output has ended.
  void watch_over_the_end(std::int64_t now) {
    constexpr Time patience{std::chrono::seconds{10}};
    if (!all_are_final() || is_mpirun_ended_) return;
    if (!all_final_ns_) all_final_ns_ = now;
    if (now - *all_final_ns_ <= patience.count()) return;
    is_mpirun_ended_ = true;
    note("a process that a task started keeps the output of its rank open: takt does not wait for it");
    job_.end();
  }

  /// Ends the ranks, with a reason for the user; the first one counts.
  void end(const std::string& verdict) {
    if (record_.failure.empty()) record_.failure = verdict;
    job_.end();
  }

  void show_progress() {
    constexpr Time interval{std::chrono::milliseconds{200}};
    constexpr Time short_interval{std::chrono::milliseconds{95}};
    const std::int64_t now = now_ns();
    if (options_.on_update && now - last_update_ > short_interval.count()) {
      last_update_ = now;
      options_.on_update(record_);
    }
    if (now - last_progress_ <= interval.count()) return;
    last_progress_ = now;
    report_outside_waits();
    for (const std::string& warning : watch_.look(record_, now)) note(warning);
    adapt(now);
    record_.silence.assign(record_.ranks.size(), Time{0});
    for (std::size_t rank = 0; rank < record_.ranks.size(); ++rank)
      if (const auto& status = record_.ranks[rank]; status && !status->final)
        record_.silence[rank] = Time{now - last_word_[rank]};
    post(job_.folder(), record_);
    if (options_.on_progress) options_.on_progress(record_);
  }

  void judge() {
    record_.was_to_end = is_to_end();
    const int status = *job_.ended();
    if (record_.failure.empty() && (was_given_up() || are_all_silent()) && !has_failed_by_itself()) {
      note("interrupted before the stream began: no frame was ingested, and outputs are unchanged");
      return;
    }
    const bool all_are_well =
        std::ranges::all_of(record_.ranks, [](const auto& rank) { return rank && rank->failure.empty(); });
    if (!record_.failure.empty() || ((status == 0 || is_mpirun_ended_) && all_are_final() && all_are_well))
      return;
    record_.failure = explain_end(record_, job_.output(), status);
    has_failed_in_trial_ = job_.stop_requests() == 0 && has_failed_in(Phase::trial);
    // A rank that found a user error before its connection ended with that exit code.
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2) record_.is_config_error = true;
  }

  /// Returns true if a rank failed, or died with a crash report, in this phase. The status of a killed rank
  /// is as old as its last heartbeat.
  [[nodiscard]] bool has_failed_in(Phase phase) const {
    const auto death = job_.output().death();
    std::optional<std::size_t> dead;
    if (death && !death->is_a_kill()) dead = death->rank;
    for (std::size_t rank = 0; rank < record_.ranks.size(); ++rank) {
      const auto& status = record_.ranks[rank];
      if (status && status->phase == phase && (!status->failure.empty() || dead == rank)) return true;
    }
    return false;
  }

  /// Reports once what a rank waits for outside of the run.
  void report_outside_waits() {
    for (std::size_t rank = 0; rank < record_.ranks.size(); ++rank)
      if (const auto& status = record_.ranks[rank]; status && !status->final && !status->waits_for.empty() &&
                                                    reported_waits_.insert(status->waits_for).second)
        note(fmt::format("{}: {}", describe_rank(record_, rank), status->activity()));
  }

  const LaunchOptions& options_;
  Job job_;
  ParameterUpdates changes_;
  RunRecord record_;
  /// By rank, the time of its last message; initially the start.
  std::vector<std::int64_t> last_word_;
  Absence absence_{now_ns()};
  std::int64_t last_progress_ = 0, last_update_ = 0;
  RunWatch watch_{options_.window};
  Adapting adapting_{options_.replan, options_.window};
  bool has_failed_in_trial_ = false;
  int triggers_passed_on_ = 0;
  /// True if a rank was asked to end the run.
  bool drains_ = false;
  /// When all ranks had sent their final status; true if mpirun was ended because it kept waiting.
  std::optional<std::int64_t> all_final_ns_;
  bool is_mpirun_ended_ = false;
  /// When the stop was requested.
  std::optional<std::int64_t> to_end_ns_;
  /// Reported waits of ranks for other programs.
  std::set<std::string> reported_waits_;
  DrainWatch drain_watch_{options_.standstill, options_.stream_time, now_ns()};
};

}  // namespace

namespace {

RunRecord launch_once(const LaunchOptions& options) {
  std::string failure;
  LaunchOptions again = options;
  {
    Run run(options, options.arguments);
    RunRecord record = run.follow();
    if (!run.has_failed_in_trial() || options.without_trial.empty()) return record;
    failure = record.failure;
    again.before.are_outputs_held = record.are_outputs_held;
    again.before.probed = record.probed;
  }
  Run run(again, options.without_trial);
  run.note(failure + "; started again without a trial run");
  RunRecord record = run.follow();
  record.is_without_trial = true;
  return record;
}

}  // namespace

RunRecord launch(const LaunchOptions& options) {
  return options.restart ? supervise(options, launch_once) : launch_once(options);
}

}  // namespace takt::pipeline
