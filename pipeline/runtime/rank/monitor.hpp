#pragma once
/// The rank's link to whoever started the run: says how it is, and hears when to stop.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/system/clock.hpp"
#include "pipeline/protocol/rank_link.hpp"
#include "pipeline/protocol/status.hpp"
#include "pipeline/runtime/counting/processor_watch.hpp"
#include "pipeline/runtime/counting/tally.hpp"
#include "pipeline/runtime/executor.hpp"
#include "pipeline/watching/watchdog.hpp"

namespace takt::pipeline {

/// A thread beside the executor that sends the rank's status several times a second (so a stopped or
/// overloaded rank is noticed, and a dead one has left its figures behind), turns requests to stop into
/// Executor::drain (or, before there is a stream, into the rank's end), and ends a rank whose work does not
/// come back (watchdog.hpp).
///
/// Without a launcher (a user's own mpirun) there is no link, and only signals are heard: SIGINT, SIGHUP and
/// SIGUSR1 drain, SIGTERM makes the rank tell its last status and end at once, which is what mpirun sends
/// when another rank has failed.
class Monitor {
 public:
  /// `link` is null without a launcher.
  Monitor(int rank, std::unique_ptr<RankLink> link, const Pipeline& pipeline, const RankTally& tally,
          UpdateQueue& changes);
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;
  ~Monitor();

  /// Blocks the signals that the monitor listens for in the calling thread and those it starts later. Call
  /// before any other thread starts.
  static void take_over_signals();

  /// The stream begins. Until then a rank that is asked to end ends at once, whatever it measures or tries:
  /// it has touched nothing of the user's. From then on the stream is drained. Does not return where the rank
  /// is already on its way out.
  void begin_stream();

  /// From now on sources and sinks of this executor are reported too. It must outlive the monitor.
  void watch(Executor& executor);
  /// Until another one is there.
  void unwatch();
  /// The plan that the launcher wants instead, once: nothing where it wants none. An executor that is watched
  /// has been asked to pause.
  [[nodiscard]] std::optional<std::string> wanted_plan();

  /// Sends something else than a status to the launcher, within a heartbeat.
  void send(RankMessage message);

  /// Ends the thread; the status it returns is final, and the launcher has it.
  RankStatus finish();
  /// The same for a rank that failed.
  RankStatus fail(const std::string& reason, std::optional<std::size_t> stage, bool is_config_error);

  [[nodiscard]] bool has_launcher() const { return has_launcher_; }

 private:
  void run();
  [[nodiscard]] RankStatus status() const;
  /// What the user wants of outputs and of the probe. Only for the monitor's thread, with the mutex.
  void follow(const RankLink::Commands& commands);
  /// Only for the monitor's thread, as what follows.
  [[nodiscard]] std::optional<Probe::Row> look();
  /// What the watchdog is told of a task.
  [[nodiscard]] Watchdog::Task watched_task(std::string_view name) const;
  /// Why this rank is to be ended, where what it does does not come back. Only for the monitor's thread.
  [[nodiscard]] std::optional<std::string> find_hung_task();
  /// Whether the stream has not begun, and now never will.
  [[nodiscard]] bool gives_up_stream();
  /// Only for the executor's thread.
  [[nodiscard]] RankStatus last_status() const;
  RankStatus stop(RankStatus last);
  /// Only with the mutex.
  void tell_begun_changes();
  /// Has the monitor's thread look at once.
  void wake();
  void join();

  int rank_;
  const Pipeline& pipeline_;
  const RankTally& tally_;
  UpdateQueue& changes_;
  std::string host_;
  /// The thread's, once that runs.
  std::unique_ptr<RankLink> link_;
  bool has_launcher_;
  /// From one status to the next.
  const Time heartbeat_;
  /// The thread's.
  Watchdog watchdog_;
  /// Of memory that the rank held as its stream began.
  mutable std::atomic<std::uint64_t> resident_at_first_ = 0;
  /// A stage is looked at; once more after that, so that the executor is not asked any more. The thread's.
  bool is_probing_ = false, was_probing_ = false;

  enum class Stream : std::uint8_t { to_come, begun, given_up };
  std::atomic<Stream> stream_ = Stream::to_come;

  mutable std::mutex mutex_;
  Executor* executor_ = nullptr;
  /// Between two executors, what the first one had come to.
  std::vector<SourceStatus> sources_between_;
  std::vector<SinkStatus> sinks_between_;
  bool asked_to_drain_ = false;
  /// What the user wants of every executor, one after the other.
  bool are_held_ = false;
  std::optional<std::size_t> probed_;
  std::optional<std::string> wanted_plan_;
  std::vector<RankMessage> outbox_;
  bool stopping_ = false;
  mutable ProcessorWatch processor_watch_;
  std::thread thread_;
};

}  // namespace takt::pipeline
