#pragma once
/// Connects a rank to the launcher: reports the rank's status and receives control commands.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/system/clock.hpp"
#include "pipeline/calls/rank_tasks.hpp"
#include "pipeline/protocol/rank_link.hpp"
#include "pipeline/protocol/status.hpp"
#include "pipeline/runtime/counting/processor_watch.hpp"
#include "pipeline/runtime/counting/tally.hpp"
#include "pipeline/runtime/executor.hpp"
#include "pipeline/watching/watchdog.hpp"

namespace takt::pipeline {

/// Thread next to the executor that sends the rank's status several times a second. So the launcher notices
/// a stopped or overloaded rank, and has the figures of a dead one. The thread turns requests to stop into
/// Executor::drain (before the stream into the rank's end), and ends a rank whose work hangs
/// (watchdog.hpp).
///
/// Without a launcher (a user's own mpirun) there is no link, and the thread handles signals only. SIGINT,
/// SIGHUP and SIGUSR1 drain. SIGTERM, which mpirun sends when another rank has failed, makes the rank print
/// its last status and end immediately.
class Monitor {
 public:
  /// `link` is null without a launcher.
  Monitor(int rank, std::unique_ptr<RankLink> link, const Pipeline& pipeline, const RankTally& tally,
          UpdateQueue& changes);
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;
  ~Monitor();

  /// Blocks the signals of the monitor in the calling thread and those it starts later. Must be called before
  /// any other thread starts.
  static void take_over_signals();

  /// Marks the beginning of the stream. Before it, a rank that is asked to end does so immediately, even
  /// while it measures or plans: it has changed nothing of the user's. After it, the rank drains the stream.
  /// Does not return if the rank is already ending.
  void begin_stream();

  /// Reports the work of the rank's workers from now on. They must outlive the monitor.
  void watch(RankTasks& tasks);
  /// Reports the sources and sinks of this executor, too. The executor must outlive the monitor.
  void watch(Executor& executor);
  /// Ends the reports of the executor until the next `watch`.
  void unwatch();
  /// Returns, once, the plan that the launcher wants instead; nothing if there is none. The watched executor
  /// has been asked to pause.
  [[nodiscard]] std::optional<std::string> wanted_plan();

  /// Sends a message other than a status to the launcher, within one heartbeat.
  void send(RankMessage message);

  /// Ends the thread. Returns the final status, which it has also sent to the launcher.
  RankStatus finish();
  /// The same for a failed rank.
  RankStatus fail(const std::string& reason, std::optional<std::size_t> stage, bool is_config_error);

  [[nodiscard]] bool has_launcher() const { return has_launcher_; }

 private:
  void run();
  [[nodiscard]] RankStatus status() const;
  /// Executes the user's commands for outputs and the probe. Only for the monitor's thread, with the mutex.
  void follow(const RankLink::Commands& commands);
  /// Returns new frames of the probe. Only for the monitor's thread, like the next functions.
  [[nodiscard]] std::optional<Probe::Row> look();
  /// Returns a task's properties for the watchdog.
  [[nodiscard]] Watchdog::Task watched_task(std::string_view name) const;
  /// Returns the reason to end this rank if its current work hangs. Only for the monitor's thread.
  [[nodiscard]] std::optional<std::string> find_hung_task();
  /// True if the stream has not begun; prevents it from beginning.
  [[nodiscard]] bool abandons_stream();
  /// Only for the executor's thread.
  [[nodiscard]] RankStatus last_status() const;
  RankStatus stop(RankStatus last);
  /// Queues reports of updates in force. Only with the mutex.
  void report_begun_changes();
  /// Wakes the monitor's thread.
  void wake();
  void join();

  int rank_;
  const Pipeline& pipeline_;
  const RankTally& tally_;
  UpdateQueue& changes_;
  std::string host_;
  /// Used by the thread only, once it runs.
  std::unique_ptr<RankLink> link_;
  bool has_launcher_;
  /// Interval between two status messages.
  const Time heartbeat_;
  /// Used by the thread only.
  Watchdog watchdog_;
  /// Memory of the rank at the beginning of its stream, in bytes.
  mutable std::atomic<std::uint64_t> resident_at_first_ = 0;
  /// Whether a stage is observed, and whether one was at the last look. Used by the thread only.
  bool is_probing_ = false, was_probing_ = false;

  enum class Stream : std::uint8_t { to_come, begun, given_up };
  std::atomic<Stream> stream_ = Stream::to_come;

  mutable std::mutex mutex_;
  Executor* executor_ = nullptr;
  RankTasks* tasks_ = nullptr;
  /// Processor time of the workers before.
  std::uint64_t tasks_before_ns_ = 0;
  /// Last counters of the previous executor, between two executors.
  std::vector<SourceStatus> sources_between_;
  std::vector<SinkStatus> sinks_between_;
  bool asked_to_drain_ = false;
  /// Commands of the user that apply to every executor, in sequence.
  bool are_held_ = false;
  std::optional<std::size_t> probed_;
  std::optional<std::string> wanted_plan_;
  std::vector<RankMessage> outbox_;
  bool stopping_ = false;
  mutable ProcessorWatch processor_watch_;
  std::thread thread_;
};

}  // namespace takt::pipeline
