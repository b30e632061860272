#pragma once
/// What this process is doing: for its heartbeat, for the watchdog, and for the message when it dies of it.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/units.hpp"

namespace takt::pipeline {

/// Parts of a process's life. Their names, and which deadline holds in them, are rows of phase_traits().
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

/// Which deadline of a deployment holds for a piece of work.
enum class Deadline : std::uint8_t {
  /// None: others are waited for, or the work has no bound.
  none,
  /// Everything before a frame: constructors, configure, open, start, calibration.
  set_up,
  /// One call for one frame.
  frame,
  /// Everything after the last frame: a kernel's rest, close, destructors.
  end,
};

struct PhaseTraits {
  Phase phase = Phase::none;
  /// As heartbeats, messages and docs/reference/failures.md say it.
  const char* name = "";
  /// Of the phase itself, while no task is at work in it.
  Deadline deadline = Deadline::none;
  /// Whether a piece of work in it belongs to a numbered frame of the stream.
  bool has_frames = false;
};
[[nodiscard]] const PhaseTraits& traits_of(Phase phase) noexcept;
/// Phase::none for a name that is none.
[[nodiscard]] Phase find_phase(std::string_view name) noexcept;

/// A phase, and the task that is at work in it, when one is. One per process, set by the thread that does the
/// pipeline's work, readable by other threads and by signal handlers at any time.
struct Activity {
  Phase phase = Phase::none;
  /// Null where no task is at work.
  const char* task = nullptr;
  /// Of the task's piece of work.
  Deadline deadline = Deadline::none;
  /// Whether the task waits for its next frame, as sources may.
  bool is_waiting = false;
  /// Of the source, counted from the start of the run.
  std::uint64_t frame = 0;
  /// Pieces of work that were begun: a task that is at work with the same number as before has not come back.
  std::uint64_t begun = 0;
  /// The kernel that gives its rest (Kernel::finish), and since when; null where none does.
  const char* finishing = nullptr;
  std::int64_t finishing_since_ns = 0;
};

void set_phase(Phase phase) noexcept;

/// Until its end the phase is this one, whatever set_phase says, and after it until that says something:
/// what fails in it is told with it.
class WholePhase {
 public:
  explicit WholePhase(Phase phase) noexcept;
  WholePhase(const WholePhase&) = delete;
  WholePhase& operator=(const WholePhase&) = delete;
  ~WholePhase();
};

[[nodiscard]] Activity current_activity() noexcept;
/// `running task 'fft'`, or nothing.
[[nodiscard]] std::string activity_text(const Activity& activity);
/// The same of what is known of another process.
[[nodiscard]] std::string activity_text(Phase phase, const std::string& task);

namespace activity {

inline std::atomic<const char*> task = nullptr;
inline std::atomic<std::uint64_t> frame = 0, begun = 0;
inline std::atomic<Deadline> deadline = Deadline::frame;
inline std::atomic<bool> is_waiting = false;
static_assert(std::atomic<const char*>::is_always_lock_free, "signal handlers read it");

}  // namespace activity

/// The task at work begins another piece of it.
inline void begin_work() noexcept {
  // One thread works.
  activity::begun.store(activity::begun.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// While it lives, the task of this name, which must outlive it, is at work at a frame. A few stores: cheap
/// enough for every frame.
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

/// The same at something else than a frame, held to another deadline; also within other work, which goes on
/// after it.
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

/// AtWork while a source waits for its next frame: no work, but it must come back.
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

/// A kernel gives its rest since this moment (now_ns), in as many calls as it wants; the first of several
/// counts until it has ended. The name must live as long.
void begin_finishing(const std::string& task, std::int64_t since_ns) noexcept;
void end_finishing(const std::string& task) noexcept;

}  // namespace takt::pipeline
