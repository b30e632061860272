/// takt_fuzz: reads damaged input without a time limit, in a build with sanitizers (preset `fuzz`).
///
///   takt_fuzz                              names of the readers
///   takt_fuzz READER COUNT [SEED [FIRST]]  COUNT mutations, from number FIRST on
///
/// Exits with 0 and one line of counts, or at the first finding: a report of the sanitizers, an exception
/// that is no message for the user, or a case of more than a second of processor time (eight where a library
/// is known to crash) or 256 MiB at once. The file `takt-fuzz-READER-SEED-NUMBER` then contains the input.
/// Crashes inside a library that is known to crash (FuzzedReader::crashing_library) are counted: child
/// processes read such input.

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fuzz/reader.hpp"

/// A small quarantine and short stacks: half the time, and memory figures that reflect the readers. C
/// libraries get a null pointer for excessive sizes, as from the system; C++ code ends.
extern "C" const char* __asan_default_options() {
  return "max_allocation_size_mb=256:hard_rss_limit_mb=3072:quarantine_size_mb=16:malloc_context_size=8:"
         "allocator_may_return_null=1:detect_stack_use_after_return=0:handle_abort=1";
}
extern "C" const char* __ubsan_default_options() {
  return "print_stacktrace=1:abort_on_error=1";
}

namespace {

using takt::test::Fuzzer;
using takt::test::FuzzOutcome;

/// The current case, for the report of a crash.
struct {
  std::string name;
  /// Crashes inside this library are no findings.
  std::string crashing_library;
  std::uint64_t seed = 0;
  std::uint32_t number = 0;
  std::string input;
} current;

/// What has been read. Shared with child processes.
struct Tally {
  /// The number of the next case.
  std::uint32_t next = 0;
  std::uint32_t outcomes[3] = {};
  std::uint32_t library_crashes = 0;
  double slowest = 0;
  long mebibytes = 0;
  bool has_finding = false;
};
Tally* tally = nullptr;

void report(const char* what) {
  const std::string file = fmt::format("takt-fuzz-{}-{}-{}", current.name, current.seed, current.number);
  std::ofstream(file, std::ios::binary) << current.input;
  fmt::print(stderr, "FINDING {} seed {} case {}: {} (input in {})\n", current.name, current.seed,
             current.number, what, file);
  tally->has_finding = true;
}

void end_in_library() {
  ++tally->library_crashes;
  ::_exit(1);
}

void keep_report(const char* text) {
  if (!current.crashing_library.empty() &&
      std::string_view(text).find(current.crashing_library) != std::string_view::npos)
    end_in_library();
}

void at_death() {
  report("see the sanitizer's report above");
}

bool is_in_library() {
  void* frames[64];
  const int count = ::backtrace(frames, 64);
  return !current.crashing_library.empty() && std::any_of(frames, frames + count, [](void* frame) {
    Dl_info where{};
    return ::dladdr(frame, &where) != 0 && where.dli_fname != nullptr &&
           std::string_view(where.dli_fname).find(current.crashing_library) != std::string_view::npos;
  });
}

double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Ends a case that does not terminate: SIGPROF after ten seconds of processor
/// time, SIGALRM after a minute of wall time.
void limit_case() {
  const itimerval processor{{}, {10, 0}}, wall{{}, {60, 0}};
  ::setitimer(ITIMER_PROF, &processor, nullptr);
  ::setitimer(ITIMER_REAL, &wall, nullptr);
}

template <class Number>
Number number_of(const std::string& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    fmt::print(stderr, "takt_fuzz: '{}' is not a number\n", text);
    std::exit(2);
  }
  return number;
}

/// Reads the cases from tally->next on, up to `end`, until the first finding.
void read_cases(const Fuzzer& fuzzer, std::uint32_t end) {
  // A library may need seconds for a damaged file, such as one of tiny chunks or of a text of 200 MiB.
  const double most_seconds = current.crashing_library.empty() ? 1 : 8;
  while (tally->next < end) {
    const std::uint32_t i = tally->next++;
    current.number = i;
    current.input = fuzzer.input(i);
    limit_case();
    const double before = processor_seconds();
    try {
      ++tally->outcomes[static_cast<int>(fuzzer.attempt(i, current.input))];
    } catch (const std::exception& error) {
      return report(error.what());
    }
    const double seconds = processor_seconds() - before;
    tally->slowest = std::max(tally->slowest, seconds);
    if (seconds > most_seconds) return report(fmt::format("{:.1f} s of processor time", seconds).c_str());
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  tally->mebibytes = std::max(tally->mebibytes, usage.ru_maxrss / 1024);
}

/// Reads the same cases in a child process, which a library may crash.
void read_in_child(const Fuzzer& fuzzer, std::uint32_t end) {
  const pid_t child = ::fork();
  if (child == 0) {
    read_cases(fuzzer, end);
    std::fflush(stderr);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
}

int fuzz(const takt::test::FuzzedReader& reader, std::uint32_t count, std::uint64_t seed,
         std::uint32_t first) {
  const Fuzzer fuzzer(reader, seed);
  current.name = reader.name;
  current.crashing_library = reader.crashing_library;
  current.seed = seed;
  tally->next = first;
  const std::uint32_t end = first + count;
  // Not all cases in one child, since a library may leave its memory damaged; the start of a child is slow.
  constexpr std::uint32_t cases_of_child = 2000;
  while (tally->next < end && !tally->has_finding)
    if (reader.crashing_library.empty())
      read_cases(fuzzer, end);
    else
      read_in_child(fuzzer, std::min(end, tally->next + cases_of_child));
  if (tally->has_finding) return 1;
  __sanitizer_set_death_callback(nullptr);
  fmt::print("{} seed {} cases {} to {}: {} unchanged, {} changed, {} refused{}; slowest {:.0f} ms, {} MiB\n",
             reader.name, seed, first, end - 1, tally->outcomes[0], tally->outcomes[1], tally->outcomes[2],
             reader.crashing_library.empty()
                 ? ""
                 : fmt::format(", {} crashes in {}", tally->library_crashes, reader.crashing_library),
             tally->slowest * 1e3, tally->mebibytes);
  return 0;
}

void end_hanging(int) {
  if (is_in_library()) end_in_library();
  report("it does not end");
  __sanitizer_print_stack_trace();
  ::_exit(1);
}

}  // namespace

int main(int count, char** texts) {
  const std::vector<std::string> arguments(texts + 1, texts + count);
  if (arguments.empty()) {
    for (const auto& reader : takt::test::fuzzed_readers()) fmt::print("{}\n", reader.name);
    return 0;
  }
  if (arguments.size() < 2 || arguments.size() > 4) {
    fmt::print(stderr, "usage: takt_fuzz [READER COUNT [SEED [FIRST]]]\n");
    return 2;
  }
  tally = static_cast<Tally*>(
      ::mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (tally == MAP_FAILED) {
    std::perror("takt_fuzz: mmap");
    return 2;
  }
  *tally = {};
  __sanitizer_set_death_callback(at_death);
  __asan_set_error_report_callback(keep_report);
  std::signal(SIGPROF, end_hanging);
  std::signal(SIGALRM, end_hanging);
  for (const auto& reader : takt::test::fuzzed_readers())
    if (reader.name == arguments[0])
      return fuzz(reader, number_of<std::uint32_t>(arguments[1]),
                  arguments.size() > 2 ? number_of<std::uint64_t>(arguments[2]) : 1,
                  arguments.size() > 3 ? number_of<std::uint32_t>(arguments[3]) : 0);
  fmt::print(stderr, "takt_fuzz: there is no reader '{}'; without arguments it lists them\n", arguments[0]);
  return 2;
}
