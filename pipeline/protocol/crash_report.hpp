#pragma once
/// Reports the death of a process in one line, whether by a fatal signal, std::terminate, an unexpected
/// exit() or _exit(), or an MPI error.

#include <optional>

namespace takt::pipeline {

/// Makes the process write one line to stderr, in one call, before each of these ends it: `takt: rank 1: died
/// of signal 11 (Segmentation fault) while running task 'fft'`. The activity is current_activity(); without a
/// rank its number is missing. The exit code is 128 plus the signal's number, as in a shell (std::terminate
/// counts as SIGABRT), to distinguish a crash from a verdict; otherwise it is 1. Keeps handlers that a
/// sanitizer or a debugger's library has installed. Must be called from the main thread, before other threads
/// start.
void report_crashes(std::optional<int> rank);

/// Ends the process likewise for any other reason, with exit code 1. Safe in a signal handler.
[[noreturn]] void die(const char* reason) noexcept;

/// Marks its thread, during its lifetime, as the one that waits for SIGUSR1 and sends the rank's figures when
/// the process dies. The dying process waits for `figures_reported`, at most 0.5 s. Otherwise the work since
/// the last heartbeat would remain unknown.
class FigureTeller {
 public:
  FigureTeller() noexcept;
  FigureTeller(const FigureTeller&) = delete;
  FigureTeller& operator=(const FigureTeller&) = delete;
  ~FigureTeller();
};
[[nodiscard]] bool is_dying() noexcept;
void figures_reported() noexcept;

/// Makes exit() an error during its lifetime, and _exit() while a task runs: a library or a user's kernel
/// that calls one would end a rank silently. Does not apply to forked processes.
class ExitGuard {
 public:
  ExitGuard();
  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;
  ~ExitGuard();
};

}  // namespace takt::pipeline
