#include "pipeline/launch/supervisor.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "pipeline/launch/hosts/host_survey.hpp"
#include "pipeline/launch/jobs/ranks_command.hpp"
#include "pipeline/launch/jobs/slurm.hpp"
#include "pipeline/launch/jobs/stop_requests.hpp"
#include "pipeline/protocol/kept_spills.hpp"
#include "pipeline/protocol/restart_folder.hpp"
#include "pipeline/protocol/run_folder.hpp"

namespace takt::pipeline {

namespace {

std::int64_t utc_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

/// Returns the source's number of the last frame in a checkpoint; nothing before the first one.
std::optional<std::uint64_t> last_number(const Checkpoint& checkpoint) {
  for (const SavedStage& stage : checkpoint.stages)
    if (stage.stream && stage.stream->place.frames > 0) return stage.stream->place.last.sequence;
  return std::nullopt;
}

/// Names the hosts of an allocation, so that some of them can be left out.
Site with_names(Site site, std::size_t ranks) {
  if (site.hosts.empty() && !is_on_this_host(site)) site.hosts = parse_hosts(slurm_hosts(), 0, ranks);
  return site;
}

class Supervisor {
 public:
  Supervisor(LaunchOptions options, const std::function<RunRecord(const LaunchOptions&)>& launch_once)
      : options_(std::move(options)),
        launch_once_(launch_once),
        words_(options_.arguments),
        words_without_trial_(options_.without_trial),
        site_(with_names(options_.site, options_.ranks)),
        ranks_(options_.ranks) {
    options_.restart_folder = folder_.path();
    options_.on_checkpoint = [this](Checkpoint part) { checkpoints_.take(std::move(part)); };
    options_.on_begun_file = [this](const BegunFiles& begun) {
      for (const auto& [stage, names] : begun)
        begun_files_[stage].insert(begun_files_[stage].end(), names.begin(), names.end());
    };
  }

  ~Supervisor() { remove_kept_spills(folder_.path()); }
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  RunRecord follow() {
    std::uint64_t in_a_row = 0;
    for (std::uint64_t restarts = 0;; ++restarts) {
      write_checkpoint(folder_.path(), checkpoints_.last());
      write_begun_files(folder_.path(), begun_files_);
      write_plan(folder_.path(), plan_);
      RunRecord record = launch_once_(options_);
      note_losses(record);
      const bool is_over =
          record.failure.empty() || record.is_config_error || record.was_to_end || stop_requests_.count() > 0;
      if (is_over) return record;
      if (restarts == options_.restart->attempts) {
        record.failure +=
            fmt::format("; restarted {} time{}, the limit of 'restart'", restarts, restarts == 1 ? "" : "s");
        return record;
      }
      // An attempt without progress is followed by a longer pause.
      const bool got_further = record.outages.empty() || last_frame() > record.outages.back().frame;
      in_a_row = got_further ? 1 : in_a_row + 1;
      record.outages.push_back({.utc_ns = utc_now(), .reason = record.failure, .frame = last_frame()});
      if (!rest(pause_before(*options_.restart, in_a_row))) {
        record.outages.pop_back();
        return record;
      }
      const std::vector<HostSlots> hosts = options_.site.hosts;
      const std::size_t ranks = options_.ranks;
      leave_hosts_out(record);
      const bool goes_on_alike = got_further && hosts == options_.site.hosts && ranks == options_.ranks;
      plan_ = goes_on_alike && record.plan && !record.schedule.empty()
                  ? to_text(SharedPlan{*record.plan, record.schedule})
                  : "";
      pass_on_changes(record);
      go_on_from(record);
    }
  }

 private:
  [[nodiscard]] std::uint64_t last_frame() const {
    return checkpoints_.last() ? checkpoints_.last()->frame : 0;
  }

  /// The number of lost frames is known after the stream has resumed.
  static void note_losses(RunRecord& record) {
    if (record.outages.empty()) return;
    std::optional<std::uint64_t>& fewest = record.outages.back().lost;
    for (const auto& rank : record.ranks)
      if (rank)
        for (const SourceStatus& source : rank->sources)
          // For several sources the least number counts: a frame that one of them has is not lost to all.
          if (const auto lost = source.lost_in_outage) fewest = std::min(fewest.value_or(*lost), *lost);
  }

  /// Returns false if the user requests a stop.
  bool rest(Time pause) {
    const std::int64_t until = now_ns() + pause.count();
    while (now_ns() < until && stop_requests_.count() == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    return stop_requests_.count() == 0;
  }

  /// Assigns ranks to the hosts that answer, including those that did not before; uses fewer ranks if their
  /// slots do not suffice.
  void leave_hosts_out(RunRecord& record) {
    if (site_.hosts.empty() || is_on_this_host(site_)) return;
    std::vector<std::string> silent;
    try {
      silent = silent_hosts(site_);
    } catch (const WorkError&) {
      // If the survey fails, all hosts are tried again.
      return;
    }
    const auto is_silent = [&](const HostSlots& host) {
      return std::ranges::find(silent, host.name) != silent.end();
    };
    options_.site = site_;
    options_.ranks = ranks_;
    if (silent.empty() || std::ranges::all_of(site_.hosts, is_silent)) return;
    std::erase_if(options_.site.hosts, is_silent);
    std::size_t slots = 0;
    for (const HostSlots& host : options_.site.hosts) slots += host.slots;
    options_.ranks = std::min(ranks_, slots);
    record.outages.back().hosts = silent;
  }

  /// Adds arguments for the ranks: parameters that were changed before the checkpoint keep their new
  /// values.
  void pass_on_changes(RunRecord& record) {
    std::vector<std::string> more;
    // A machine in the pipeline requires as many processors as ranks.
    if (options_.ranks < ranks_) more.insert(more.end(), {"--set", "deployment.machine=''"});
    const auto& checkpoint = checkpoints_.last();
    const std::optional<std::uint64_t> last = checkpoint ? last_number(*checkpoint) : std::nullopt;
    for (const MadeChange& change : record.changes) {
      if (last && change.frame <= *last)
        more.insert(more.end(), {"--set", fmt::format("tasks.{}={}", change.parameter, change.value)});
      else
        record.warnings.push_back(fmt::format("after the restart {} is {}, as in the pipeline file",
                                              change.parameter, change.old_value));
    }
    if (record.is_without_trial) may_try_ = false;
    options_.arguments = may_try_ ? words_ : words_without_trial_;
    options_.without_trial = words_without_trial_;
    for (std::vector<std::string>* words : {&options_.arguments, &options_.without_trial})
      if (!words->empty()) words->insert(words->end(), more.begin(), more.end());
  }

  void go_on_from(const RunRecord& record) {
    const Outage& outage = record.outages.back();
    std::string text = fmt::format("{}; restarted after frame {}", outage.reason, outage.frame);
    if (!outage.hosts.empty())
      text += fmt::format(" without {}, with {} rank{}", fmt::join(outage.hosts, ", "), options_.ranks,
                          options_.ranks == 1 ? "" : "s");
    options_.before = {.changes = record.changes,
                       .warnings = record.warnings,
                       .log = record.log,
                       .outages = record.outages,
                       .are_outputs_held = record.are_outputs_held,
                       .probed = record.probed};
    if (options_.on_warning) options_.on_warning(text);
  }

  LaunchOptions options_;
  const std::function<RunRecord(const LaunchOptions&)>& launch_once_;
  /// Arguments from the user.
  const std::vector<std::string> words_, words_without_trial_;
  bool may_try_ = true;
  const Site site_;
  const std::size_t ranks_;
  const StopRequests stop_requests_;
  const RunFolder folder_;
  CheckpointDesk checkpoints_;
  BegunFiles begun_files_;
  /// The plan for ranks on the same hosts; empty: they plan anew.
  std::string plan_;
};

}  // namespace

Time pause_before(const Restart& restart, std::uint64_t attempt) {
  Time pause = restart.backoff;
  for (std::uint64_t i = 1; i < attempt && pause < Restart::longest_backoff; ++i) pause *= 2;
  return std::max(restart.backoff, std::min(pause, Restart::longest_backoff));
}

RunRecord supervise(LaunchOptions options,
                    const std::function<RunRecord(const LaunchOptions&)>& launch_once) {
  return Supervisor(std::move(options), launch_once).follow();
}

}  // namespace takt::pipeline
