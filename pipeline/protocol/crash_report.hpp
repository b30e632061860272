#pragma once
/// One line from a process that dies of what nobody catches: a fatal signal, std::terminate, an exit() or
/// _exit() out of turn, an MPI error.

#include <optional>

namespace takt::pipeline {

/// From now on each of these ends the process with one line on stderr, written at once:
/// `takt: rank 1: died of signal 11 (Segmentation fault) while running task 'fft'`. What it was doing is
/// current_activity(); without a rank that word is missing. The exit code is 128 and the signal's number, as
/// a shell has it (std::terminate counts as SIGABRT), so that nobody takes a crash for a verdict; 1 for the
/// rest. Signals that a sanitizer or a debugger's library has taken are left to it. Call it from the main
/// thread, before other threads start.
void report_crashes(std::optional<int> rank);

/// The same for any other reason, with exit code 1. Safe in a signal handler.
[[noreturn]] void die(const char* reason) noexcept;

/// While one lives, its thread waits for SIGUSR1 and tells the rank's figures when the process is dying,
/// which waits for `figures_told`, half a second at most: otherwise what was done since the last heartbeat
/// would never be known.
class FigureTeller {
 public:
  FigureTeller() noexcept;
  FigureTeller(const FigureTeller&) = delete;
  FigureTeller& operator=(const FigureTeller&) = delete;
  ~FigureTeller();
};
[[nodiscard]] bool is_dying() noexcept;
void figures_told() noexcept;

/// While one lives, exit() is out of turn, and _exit() while a task is at work: a library or a user's kernel
/// that calls it would end a rank in silence. Not in processes that it forks.
class ExitGuard {
 public:
  ExitGuard();
  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;
  ~ExitGuard();
};

}  // namespace takt::pipeline
