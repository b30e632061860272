#include "pipeline/protocol/crash_report.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/text/one_line.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

namespace {

/// Rank of this process, for its messages; negative: none.
std::atomic<int> speaking_rank = -1;
/// Process that reports crashes: not one that a kernel forks.
std::atomic<pid_t> speaking_process = 0;
std::atomic<int> exit_guards = 0;
std::atomic<bool> is_dying_now = false;
/// Thread that sends the rank's figures, or 0, and whether it has sent them.
std::atomic<pid_t> teller = 0;
std::atomic<bool> are_figures_reported = false;

/// Line composed without malloc, for use in signal handlers.
class Line {
 public:
  Line& operator<<(std::string_view text) {
    for (const char c : text.substr(0, text_.size() - 1 - size_)) text_[size_++] = blank_if_control(c);
    return *this;
  }
  Line& operator<<(int number) {
    std::array<char, 16> digits{};
    const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return *this << std::string_view(digits.data(), end);
  }
  /// Writes in one call, so that lines of several ranks do not mix.
  void write_to_stderr() {
    text_[size_++] = '\n';
    (void)!::write(STDERR_FILENO, text_.data(), size_);
  }

 private:
  std::array<char, 1024> text_{};
  std::size_t size_ = 0;
};

Line opening() {
  Line line;
  line << "takt: ";
  if (const int rank = speaking_rank; rank >= 0) line << "rank " << rank << ": ";
  return line;
}

void add_activity(Line& line) {
  const Activity activity = current_activity();
  if (activity.phase == Phase::none) return;
  line << " while " << traits_of(activity.phase).name;
  // Only the main thread runs tasks.
  if (activity.task != nullptr && ::gettid() == ::getpid()) line << " task '" << activity.task << "'";
}

/// Waits for the thread that sends the rank's figures, at most 0.5 s.
void await_figures() noexcept {
  constexpr int looks = 50;
  const timespec nap{0, 10'000'000};
  if (teller == 0 || teller == ::gettid()) return;
  // The thread waits for this signal.
  ::kill(::getpid(), SIGUSR1);
  for (int i = 0; i < looks && !are_figures_reported; ++i) ::nanosleep(&nap, nullptr);
}

/// Ends the process like _exit() of the C library.
[[noreturn]] void leave(int exit_code) noexcept {
  while (true) ::syscall(SYS_exit_group, exit_code);
}

void say_why(Line reason) noexcept {
  // Reports the first failure only, not one of a second thread or of this function.
  if (!is_dying_now.exchange(true)) reason.write_to_stderr();
  await_figures();
}

[[noreturn]] void die_of(Line reason, int exit_code) noexcept {
  say_why(reason);
  leave(exit_code);
}

[[noreturn]] void die_of(std::string_view reason, int exit_code) noexcept {
  Line line = opening();
  line << reason;
  add_activity(line);
  die_of(line, exit_code);
}

extern "C" void die_of_signal(int number) {
  Line line = opening();
  const char* name = ::sigdescr_np(number);
  line << "died of signal " << number << " (" << (name != nullptr ? name : "unknown") << ")";
  add_activity(line);
  say_why(line);
  // The signal has its default action again (SA_RESETHAND): raising it writes a core file if the user wants
  // one.
  rlimit core{};
  if (::getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_cur > 0) ::raise(number);
  leave(128 + number);
}

[[noreturn]] void die_of_exception() {
  constexpr int exit_code = 128 + SIGABRT;
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::exception& error) {
    die_of(error.what(), exit_code);
  } catch (...) {
    die_of("an exception of unknown type", exit_code);
  }
  die_of("std::terminate was called", exit_code);
}

void refuse_exit() {
  if (exit_guards > 0 && ::getpid() == speaking_process) die("something called exit()");
}

}  // namespace

void report_crashes(std::optional<int> rank) {
  if (rank) speaking_rank = *rank;
  speaking_process = ::getpid();
  // A separate stack, because a task may have exhausted its own.
  static std::array<char, 65536> stack;
  const stack_t alternate{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  ::sigaltstack(&alternate, nullptr);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS}) {
    struct sigaction old {};
    ::sigaction(number, nullptr, &old);
    if (old.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = die_of_signal;
    action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
    ::sigaction(number, &action, nullptr);
  }
  std::set_terminate(die_of_exception);
  static const int registered = std::atexit(refuse_exit) + std::at_quick_exit(refuse_exit);
  (void)registered;
}

void die(const char* reason) noexcept {
  die_of(reason, 1);
}

bool is_dying() noexcept {
  return is_dying_now;
}

void figures_reported() noexcept {
  are_figures_reported = true;
}

FigureTeller::FigureTeller() noexcept {
  teller = ::gettid();
}

FigureTeller::~FigureTeller() {
  teller = 0;
}

ExitGuard::ExitGuard() {
  ++exit_guards;
}

ExitGuard::~ExitGuard() {
  --exit_guards;
}

}  // namespace takt::pipeline

/// Replaces _exit() of the C library in the whole process: nothing else detects a task that calls it.
extern "C" void _exit(int exit_code) {
  using namespace takt::pipeline;
  const bool is_task = ::gettid() == ::getpid() && current_activity().task != nullptr;
  if (is_task && exit_guards > 0 && ::getpid() == speaking_process && !is_dying())
    die("something called _exit()");
  leave(exit_code);
}
