#pragma once
/// What this process is doing, in a few words: for its heartbeat, and for the message when it dies of it.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "core/units.hpp"

namespace takt::pipeline {

/// A phase (`measuring`, `running`), and the task that is at work in it, when one is. One per process, set by
/// the thread that does the pipeline's work, readable by other threads and by signal handlers at any time.
struct Activity {
  /// Static text, or null when nothing has been said.
  const char* phase = nullptr;
  const char* task = nullptr;
  /// Of the source, counted from the start of the run.
  std::uint64_t frame = 0;
  /// Pieces of work that were begun: a task that is at work with the same number as before has not come back.
  std::uint64_t begun = 0;
};

/// Phases in which tasks work.
inline constexpr const char* phase_measuring = "measuring";
inline constexpr const char* phase_running = "running";
inline constexpr const char* phase_draining = "draining";
inline constexpr const char* phase_rehearsing = "rehearsing";
/// To another plan: kernels that move hand over what they keep.
inline constexpr const char* phase_changing_over = "changing over";

/// `phase` must be static text.
void set_phase(const char* phase) noexcept;

/// Until its end the phase is this one, whatever set_phase says, and after it until that says something.
class WholePhase {
 public:
  explicit WholePhase(const char* phase) noexcept;
  WholePhase(const WholePhase&) = delete;
  WholePhase& operator=(const WholePhase&) = delete;
  ~WholePhase();
};

[[nodiscard]] Activity current_activity() noexcept;
/// `running task 'fft'`, or nothing.
[[nodiscard]] std::string to_string(const Activity& activity);

/// `task 'fft' hangs: measuring since 10 s`, and what its user can do where it needs longer. `where`, behind
/// the phase, and `beside`, what is usual, may be empty.
[[nodiscard]] std::string hang_text(const Activity& activity, Time elapsed, const std::string& where = "",
                                    const std::string& beside = "");

/// The user has asked this process to stop: sources receive nothing more, and what kernels still have is
/// wanted only as far as it comes soon. The first moment counts.
void ask_to_stop() noexcept;
/// When that was on the clock of now_ns(); nothing where nobody has asked.
[[nodiscard]] std::optional<std::int64_t> asked_to_stop_at() noexcept;

namespace activity {

inline std::atomic<const char*> task = nullptr;
inline std::atomic<std::uint64_t> frame = 0, begun = 0;
static_assert(std::atomic<const char*>::is_always_lock_free, "signal handlers read it");

}  // namespace activity

/// The task at work begins another piece of it.
inline void begin_work() noexcept {
  // One thread works.
  activity::begun.store(activity::begun.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// While it lives, the task of this name, which must outlive it, is at work. A few stores: cheap enough for
/// every frame.
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

}  // namespace takt::pipeline
