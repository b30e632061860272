#include "pipeline/runtime/rank/monitor.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/system/available_memory.hpp"
#include "core/system/clock.hpp"
#include "core/system/host_name.hpp"
#include "core/system/outside_wait.hpp"
#include "core/system/stop_request.hpp"
#include "pipeline/protocol/crash_report.hpp"
#include "pipeline/protocol/update_report.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

namespace {

/// Returns the interval of heartbeats: 1 ms per rank, so that the launcher receives at most 1,000 messages/s,
/// but at least 100 ms and at most 500 ms.
Time heartbeat_of(std::size_t ranks) {
  constexpr Time shortest{std::chrono::milliseconds{100}}, longest{std::chrono::milliseconds{500}};
  return std::clamp<Time>(std::chrono::milliseconds{ranks}, shortest, longest);
}

/// Extends the deadline of the set-up: oversubscribed ranks start one by one (launcher.cpp waits as long).
Deadlines deadlines_of(const Deployment& deployment) {
  constexpr Time for_each_rank{std::chrono::milliseconds{250}};
  Deadlines deadlines = deployment.deadlines;
  if (deadlines.set_up > Time{0}) deadlines.set_up += deployment.ranks * for_each_rank;
  return deadlines;
}

/// Wakes the monitor between two heartbeats; no other sender uses this signal.
constexpr int wake_signal = SIGURG;

sigset_t watched_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, wake_signal}) sigaddset(&signals, number);
  return signals;
}

Counts<Scope::source> counts_of(const sensors::SourceCounters& counters) {
  return {{"ingested", counters.ingested},
          {"lost", counters.lost},
          {"dropped", counters.dropped},
          {"incomplete", counters.incomplete}};
}

/// Returns the counter of frames that the user held back, if there are any.
std::vector<sensors::Counter> held_back_counter(const SinkTally& tally) {
  if (tally.held_back.value() == 0) return {};
  return {{"held_back", "frames", tally.held_back.value()}};
}

}  // namespace

Monitor::Monitor(int rank, std::unique_ptr<RankLink> link, const Pipeline& pipeline, const RankTally& tally,
                 UpdateQueue& changes)
    : rank_(rank),
      pipeline_(pipeline),
      tally_(tally),
      changes_(changes),
      host_(host_name()),
      link_(std::move(link)),
      has_launcher_(link_ != nullptr),
      heartbeat_(heartbeat_of(pipeline.deployment.ranks)),
      watchdog_(deadlines_of(pipeline.deployment), now_ns()),
      thread_([this] { run(); }) {}

Monitor::~Monitor() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  if (thread_.joinable()) join();
}

void Monitor::take_over_signals() {
  const sigset_t signals = watched_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void Monitor::begin_stream() {
  Stream before = Stream::to_come;
  if (!stream_.compare_exchange_strong(before, Stream::begun))
    while (before == Stream::given_up) ::pause();
}

bool Monitor::abandons_stream() {
  Stream before = Stream::to_come;
  return stream_.compare_exchange_strong(before, Stream::given_up);
}

void Monitor::watch(RankTasks& tasks) {
  const std::lock_guard lock(mutex_);
  tasks_ = &tasks;
  tasks_before_ns_ = tasks.workers_ns();
}

void Monitor::watch(Executor& executor) {
  const std::lock_guard lock(mutex_);
  executor_ = &executor;
  if (asked_to_drain_) executor.drain();
  if (are_held_) executor.hold_sinks(true);
  if (probed_) executor.choose_probe(probed_);
}

void Monitor::report_begun_changes() {
  for (const BegunChange& begun : changes_.take_begun())
    outbox_.push_back(
        {RankMessageKind::begun, to_text(UpdateReport{begun.number, static_cast<std::size_t>(rank_),
                                                      begun.frame, begun.epoch, begun.utc_ns})});
}

void Monitor::unwatch() {
  RankStatus last = last_status();
  const std::lock_guard lock(mutex_);
  sources_between_ = std::move(last.sources);
  sinks_between_ = std::move(last.sinks);
  executor_ = nullptr;
}

std::optional<std::string> Monitor::wanted_plan() {
  const std::lock_guard lock(mutex_);
  return std::exchange(wanted_plan_, std::nullopt);
}

void Monitor::send(RankMessage message) {
  const std::lock_guard lock(mutex_);
  outbox_.push_back(std::move(message));
}

void Monitor::wake() {
  ::pthread_kill(thread_.native_handle(), wake_signal);
}

RankStatus Monitor::finish() {
  RankStatus last = last_status();
  return stop(std::move(last));
}

RankStatus Monitor::fail(const std::string& reason, std::optional<std::size_t> stage, bool is_config_error) {
  RankStatus last = last_status();
  last.failure = reason;
  last.failed_stage = stage;
  last.is_config_error = is_config_error;
  return stop(std::move(last));
}

RankStatus Monitor::last_status() const {
  RankStatus last = status();
  last.final = true;
  if (executor_ == nullptr) return last;
  // Sinks count without locks: only this thread, which writes, may read their counters.
  for (SinkStatus& sink : last.sinks)
    for (sensors::Counter& counter : executor_->sink(sink.stage)->counters())
      sink.counters.push_back(std::move(counter));
  return last;
}

RankStatus Monitor::stop(RankStatus last) {
  {
    // Under one lock: no heartbeat may follow the final status.
    const std::lock_guard lock(mutex_);
    report_begun_changes();
    outbox_.push_back({RankMessageKind::status, to_text(last)});
    stopping_ = true;
  }
  join();
  const std::lock_guard lock(mutex_);
  executor_ = nullptr;
  return last;
}

void Monitor::join() {
  wake();
  thread_.join();
}

RankStatus Monitor::status() const {
  RankStatus status;
  status.rank = rank_;
  status.host = host_;
  status.pid = ::getpid();
  status.has_begun = stream_ == Stream::begun;
  status.counts = tally_.counts.counts();
  status.counts["compute"] = tally_.time_of(Use::compute);
  status.counts["message"] = tally_.time_of(Use::message);
  status.counts["starved"] = tally_.time_of(Use::starved);
  status.counts["blocked"] = tally_.time_of(Use::blocked);
  status.counts["other"] = tally_.time_of(Use::other);
  if (const std::uint64_t worked = tally_.worked_ns.value(); worked > 0)
    status.counts["rest"] = status.work_ns() - std::min(worked, status.work_ns());
  const Activity activity = current_activity();
  status.phase = activity.phase;
  if (activity.task != nullptr && !activity.is_waiting) status.task = activity.task;
  // Programs of different speeds often have shorter waits.
  constexpr std::int64_t worth_telling = 1'000'000'000;
  if (const AwaitedOutside awaited = awaited_outside();
      awaited.by_any_thread && now_ns() - awaited.since_ns > worth_telling)
    status.waits_for = *awaited.by_any_thread;

  const std::uint64_t resident = resident_memory().value_or(Bytes{0}).count;
  if (resident_at_first_ == 0 && activity.phase == Phase::running) resident_at_first_ = resident;
  status.counts["resident"] = resident;
  status.counts["resident_at_first"] = resident_at_first_;
  if (rusage usage{}; ::getrusage(RUSAGE_SELF, &usage) == 0)
    status.counts["involuntary_switches"] = static_cast<std::uint64_t>(usage.ru_nivcsw);

  const std::lock_guard lock(mutex_);
  const ProcessorTime processor =
      processor_watch_.look(activity.phase == Phase::running || activity.phase == Phase::draining);
  status.counts["used"] = processor.used_ns;
  status.counts["delayed"] = processor.delayed_ns;
  status.counts["watched"] = processor.span_ns;
  status.counts["cores"] = tasks_ != nullptr ? tasks_->cores() : 1;
  if (tasks_ != nullptr && tasks_->cores() > 1)
    status.counts["tasks"] = tasks_->workers_ns() - tasks_before_ns_;
  if (executor_ != nullptr) {
    status.counts["starved"] += static_cast<std::uint64_t>(executor_->idle_ns());
  } else {
    status.sources = sources_between_;
    status.sinks = sinks_between_;
  }
  for (int rank = 0; rank < static_cast<int>(tally_.waits.size()); ++rank)
    if (const Counts<Scope::peer> counts = tally_.waits[rank].counts();
        counts["starved"] + counts["blocked"] > 0)
      status.waits.push_back({rank, counts});
  for (std::size_t i = 0; i < tally_.stages.size(); ++i) {
    const StageTally& stage = tally_.stages[i];
    if (stage.counts["runs"].value() > 0) status.stages.push_back({i, stage.counts.counts()});
    if (executor_ == nullptr) continue;
    if (const SourceFeed* feed = executor_->source(i)) {
      const sensors::SourceCounters counters = feed->counters();
      Counts<Scope::source> counts = counts_of(counters);
      counts.histogram("age") = feed->ages();
      status.sources.push_back({i, std::move(counts), stage.waits.counts(), counters.details,
                                feed->source().warnings(), feed->lost_in_outage()});
    }
    if (const sensors::Sink* sink = executor_->sink(i))
      status.sinks.push_back({i, tally_.sinks[i].counts.counts(), sink->location(),
                              held_back_counter(tally_.sinks[i]), sink->warnings()});
  }
  return status;
}

Watchdog::Task Monitor::watched_task(std::string_view name) const {
  const auto stage =
      std::ranges::find_if(pipeline_.stages, [&](const Stage& each) { return each.name == name; });
  if (stage == pipeline_.stages.end()) return {};
  Distribution times;
  times.merge(tally_.stages[static_cast<std::size_t>(stage - pipeline_.stages.begin())]
                  .counts.histogram("time")
                  .buckets());
  return {.is_kernel = stage->kind == StageKind::kernel, .usual = times.quantile(0.99)};
}

std::optional<std::string> Monitor::find_hung_task() {
  return watchdog_.look({.activity = current_activity(),
                         .now = now_ns(),
                         .awaited = awaited_outside(),
                         .asked_to_stop = asked_to_stop_at()},
                        [this](std::string_view name) { return watched_task(name); });
}

void Monitor::follow(const RankLink::Commands& commands) {
  // These settings also apply to later executors.
  if (commands.hold) are_held_ = *commands.hold;
  if (commands.probe) {
    probed_ = *commands.probe;
    is_probing_ = probed_.has_value();
  }
  if (executor_ == nullptr) return;
  if (commands.begin_files) executor_->begin_files();
  if (commands.hold) executor_->hold_sinks(are_held_);
  if (commands.probe) executor_->choose_probe(probed_);
}

std::optional<Probe::Row> Monitor::look() {
  const std::lock_guard lock(mutex_);
  if (!link_ || executor_ == nullptr || !(is_probing_ || was_probing_)) return std::nullopt;
  was_probing_ = is_probing_;
  return executor_->probe().look();
}

void Monitor::run() {
  const sigset_t signals = watched_signals();
  // Returns whether the monitor had to stop when the outbox was emptied.
  auto empty_outbox = [&] {
    decltype(outbox_) outbox;
    bool was_stopping = false;
    {
      const std::lock_guard lock(mutex_);
      outbox.swap(outbox_);
      was_stopping = stopping_;
    }
    if (link_)
      for (const RankMessage& message : outbox) link_->send(message);
    return was_stopping;
  };

  const FigureTeller teller;
  // No message of this rank follows.
  auto send_last = [&](RankStatus last) {
    last.final = true;
    empty_outbox();
    if (link_) link_->send({RankMessageKind::status, to_text(last)});
    if (!link_)
      for (const SinkStatus& sink : last.sinks)
        fmt::print(stderr, "takt: {} frames delivered to '{}' before that\n", sink.counts["delivered"],
                   pipeline_.stages[sink.stage].name);
    link_.reset();
  };

  while (true) {
    if (empty_outbox()) {
      // Sends pending messages.
      link_.reset();
      return;
    }
    if (link_) link_->send({RankMessageKind::status, to_text(status())});

    const timespec timeout{0, heartbeat_.count()};
    const int signal = ::sigtimedwait(&signals, nullptr, &timeout);
    if (is_dying()) {
      tally_.writes.close();
      send_last(status());
      figures_reported();
      return;
    }
    if (signal == wake_signal) continue;
    if (signal == SIGTERM) {
      // The status then counts every frame that is in a file.
      tally_.writes.close();
      send_last(status());
      ::_exit(1);
    }
    if (const auto hung = find_hung_task()) {
      RankStatus last = status();
      last.failure = *hung;
      if (!link_) fmt::print(stderr, "takt: rank {} ({}): {}\n", rank_, host_, *hung);
      send_last(std::move(last));
      ::_exit(1);
    }
    const RankLink::Commands commands = link_ ? link_->commands() : RankLink::Commands{};
    if (link_) {
      const std::lock_guard lock(mutex_);
      for (const std::string& text : commands.changes) {
        const Change change = change_from_text(text);
        changes_.prepare(change);
        outbox_.push_back(
            {RankMessageKind::prepared,
             to_text(UpdateReport{.number = change.number, .rank = static_cast<std::size_t>(rank_)})});
      }
      if (commands.begins > 0) changes_.allow(commands.begins);
      report_begun_changes();
    }
    if (signal == SIGUSR2 || commands.trigger) {
      const std::lock_guard lock(mutex_);
      if (executor_ != nullptr) executor_->trigger_sinks();
    }
    if (commands.plan) {
      const std::lock_guard lock(mutex_);
      wanted_plan_ = commands.plan;
      if (executor_ != nullptr) executor_->pause();
    }
    if (commands.changes_outputs() || commands.probe) {
      const std::lock_guard lock(mutex_);
      follow(commands);
    }
    if (std::optional<Probe::Row> row = look()) link_->send({RankMessageKind::probe, *std::move(row)});
    const bool was_signalled = signal > 0 && signal != SIGUSR2;
    // The request concerns all ranks; this one may have nothing to stop.
    if (was_signalled && link_) link_->send({RankMessageKind::drain, ""});
    if ((commands.leave || (was_signalled && !link_)) && abandons_stream()) {
      if (!link_)
        fmt::print(stderr, "takt: rank {} ({}): interrupted before the stream began\n", rank_, host_);
      send_last(status());
      ::_exit(1);
    }
    if (was_signalled || commands.drain) {
      ask_to_stop();
      const std::lock_guard lock(mutex_);
      asked_to_drain_ = true;
      if (executor_ != nullptr) executor_->drain();
    }
  }
}

}  // namespace takt::pipeline
