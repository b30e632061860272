#pragma once
/// What this process is doing, in a few words: for its heartbeat, and for the message when it dies of it.

#include <cstdint>
#include <optional>
#include <string>

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

/// The user has asked this process to stop: sources receive nothing more, and what kernels still have is
/// wanted only as far as it comes soon. The first moment counts.
void ask_to_stop() noexcept;
/// When that was on the clock of now_ns(); nothing where nobody has asked.
[[nodiscard]] std::optional<std::int64_t> asked_to_stop_at() noexcept;

/// The task at work begins another piece of it.
void begin_work() noexcept;

/// While it lives, the task of this name, which must outlive it, is at work. A few stores: cheap enough for
/// every frame.
class AtWork {
 public:
  explicit AtWork(const std::string& task, std::uint64_t frame = 0) noexcept;
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;
  ~AtWork();
};

}  // namespace takt::pipeline
