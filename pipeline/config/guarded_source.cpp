#include "pipeline/config/guarded_source.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"

namespace takt::pipeline {

namespace {

/// Signals of a crash, and of too much processor time.
constexpr int fatal_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU};

/// Returns the library that opens the files of this kind of source and may crash; null: none.
const char* crashing_library(const SourceKind& kind) {
  if (kind.name == "hdf5_file") return "the HDF5 library";
  if (kind.name == "psrfits_file") return "the CFITSIO library";
  return nullptr;
}

/// Makes the source and ends the process: with 0 unless the library crashes.
[[noreturn]] void make_and_end(const SourceKind& kind, const Parameters& parameters) {
  for (const int signal : fatal_signals) std::signal(signal, SIG_DFL);
  const rlimit no_core{0, 0}, seconds{10, 10};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setrlimit(RLIMIT_CPU, &seconds);
  try {
    static_cast<void>(kind.make(parameters, 0));
  } catch (...) {
    // The caller gets the same exception.
  }
  ::_exit(0);
}

/// Returns the signal that ended a child process in which the source was made; 0 if none did.
int signal_of_trial(const SourceKind& kind, const Parameters& parameters) {
  const pid_t child = ::fork();
  if (child < 0) throw WorkError(fmt::format("cannot fork: {}", std::strerror(errno)));
  if (child == 0) make_and_end(kind, parameters);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

std::unique_ptr<sensors::Source> make_guarded(const SourceKind& kind, const Parameters& parameters) {
  if (const char* const library = crashing_library(kind))
    if (const int signal = signal_of_trial(kind, parameters); signal != 0)
      parameters.refuse("file",
                        fmt::format("{} {} when it opens the file: expected a file without damage", library,
                                    signal == SIGXCPU || signal == SIGKILL
                                        ? "does not end"
                                        : fmt::format("crashes ({})", ::strsignal(signal))));
  return kind.make(parameters, 0);
}

}  // namespace takt::pipeline
