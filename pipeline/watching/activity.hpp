#pragma once
/// The current activity of this process, for its heartbeat, the watchdog and crash reports.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/units.hpp"

namespace takt::pipeline {

/// Phases of a process. phase_traits() defines their names and deadlines.
enum class Phase : std::uint8_t {
  none,
  loading,
  checking,
  starting_mpi,
  measuring_links,
  measuring,
  waiting_for_costs,
  planning,
  waiting_for_plan,
  trial,
  setting_up,
  waiting_for_set_up,
  starting_sources,
  running,
  draining,
  waiting_for_end,
  changing_over,
  closing,
  ending,
};

/// Kind of deadline for a piece of work.
enum class Deadline : std::uint8_t {
  /// No deadline: the work waits for other processes, or is unbounded.
  none,
  /// Work before the first frame: constructors, configure, open, start, calibration.
  set_up,
  /// One call for one frame.
  frame,
  /// Work after the last frame: flushing a kernel, close, destructors.
  end,
};

struct PhaseTraits {
  Phase phase = Phase::none;
  /// Name in heartbeats, messages and docs/reference/failures.md.
  const char* name = "";
  /// Deadline of the phase itself, while no task is running.
  Deadline deadline = Deadline::none;
  /// True if its work belongs to numbered frames of the stream.
  bool has_frames = false;
};
[[nodiscard]] const PhaseTraits& traits_of(Phase phase) noexcept;
/// Returns Phase::none for an unknown name.
[[nodiscard]] Phase find_phase(std::string_view name) noexcept;

/// A phase, and the running task, if any. One per process, set by the thread that does the pipeline's work,
/// readable by other threads and by signal handlers at any time.
struct Activity {
  Phase phase = Phase::none;
  /// Null if no task is running.
  const char* task = nullptr;
  /// Deadline of the task's current work.
  Deadline deadline = Deadline::none;
  /// True if the task waits for its next frame, as sources may.
  bool is_waiting = false;
  /// Number of the source's frame, counted from the start of the run.
  std::uint64_t frame = 0;
  /// Number of pieces of work begun: if it is unchanged, the task has not returned.
  std::uint64_t begun = 0;
  /// The kernel being flushed (Kernel::finish), and since when; null if there is none.
  const char* finishing = nullptr;
  std::int64_t finishing_since_ns = 0;
};

void set_phase(Phase phase) noexcept;

/// Fixes the phase during its lifetime, whatever set_phase sets, and afterwards until the next set_phase:
/// failures are reported with it.
class WholePhase {
 public:
  explicit WholePhase(Phase phase) noexcept;
  WholePhase(const WholePhase&) = delete;
  WholePhase& operator=(const WholePhase&) = delete;
  ~WholePhase();
};

[[nodiscard]] Activity current_activity() noexcept;
/// Returns `running task 'fft'`, or an empty text.
[[nodiscard]] std::string activity_text(const Activity& activity);
/// The same for the known state of another process.
[[nodiscard]] std::string activity_text(Phase phase, const std::string& task);

namespace activity {

inline std::atomic<const char*> task = nullptr;
inline std::atomic<std::uint64_t> frame = 0, begun = 0;
inline std::atomic<Deadline> deadline = Deadline::frame;
inline std::atomic<bool> is_waiting = false;
static_assert(std::atomic<const char*>::is_always_lock_free, "signal handlers read it");

}  // namespace activity

/// The running task begins another piece of work.
inline void begin_work() noexcept {
  // Only one thread works.
  activity::begun.store(activity::begun.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// Marks the task of this name, which must outlive it, as working on a frame during its lifetime. A few
/// stores: cheap enough for every frame.
class AtWork {
 public:
  explicit AtWork(const std::string& task, std::uint64_t frame = 0) noexcept {
    begin_work();
    activity::frame.store(frame, std::memory_order_relaxed);
    activity::task.store(task.c_str(), std::memory_order_relaxed);
  }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;
  ~AtWork() { activity::task.store(nullptr, std::memory_order_relaxed); }
};

/// The same for work other than a frame, with another deadline; may be nested in other work, which continues
/// afterwards.
class AtOtherWork {
 public:
  AtOtherWork(const std::string& task, Deadline deadline) noexcept
      : task_before_(activity::task.load(std::memory_order_relaxed)),
        deadline_before_(activity::deadline.load(std::memory_order_relaxed)) {
    change(task.c_str(), deadline);
  }
  AtOtherWork(const AtOtherWork&) = delete;
  AtOtherWork& operator=(const AtOtherWork&) = delete;
  ~AtOtherWork() { change(task_before_, deadline_before_); }

 private:
  static void change(const char* task, Deadline deadline) noexcept {
    activity::deadline.store(deadline, std::memory_order_relaxed);
    activity::task.store(task, std::memory_order_relaxed);
    begin_work();
  }

  const char* task_before_;
  Deadline deadline_before_;
};

/// AtWork while a source waits for its next frame: no work, but it must return.
class AtWait {
 public:
  AtWait(const std::string& source, std::uint64_t frame) noexcept : at_work_(source, frame) {
    activity::is_waiting.store(true, std::memory_order_relaxed);
  }
  AtWait(const AtWait&) = delete;
  AtWait& operator=(const AtWait&) = delete;
  ~AtWait() { activity::is_waiting.store(false, std::memory_order_relaxed); }

 private:
  AtWork at_work_;
};

/// A kernel is being flushed since this moment (now_ns), in any number of calls; the first of several kernels
/// counts until it has ended. The name must live as long.
void begin_finishing(const std::string& task, std::int64_t since_ns) noexcept;
void end_finishing(const std::string& task) noexcept;

}  // namespace takt::pipeline
