/// takt_fuzz: reads damaged input without a time limit, in a build with sanitizers (preset `fuzz`).
///
///   takt_fuzz                              names of the readers
///   takt_fuzz READER COUNT [SEED [FIRST]]  COUNT mutations, from number FIRST on
///
/// Exits with 0 and one line of counts, or at the first finding: a report of the sanitizers, an exception
/// that is no message for the user, or a case of more than a second of processor time or a GiB of memory. The
/// file `takt-fuzz-READER-SEED-NUMBER` then contains the input.

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/fuzz/reader.hpp"

/// A small quarantine and short stacks: half the time, and memory figures that reflect the readers. C
/// libraries get a null pointer for excessive sizes, as from the system; C++ code ends.
extern "C" const char* __asan_default_options() {
  return "max_allocation_size_mb=1024:hard_rss_limit_mb=3072:quarantine_size_mb=16:malloc_context_size=8:"
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
  std::uint64_t seed = 0;
  std::uint32_t number = 0;
  std::string input;
} current;

void report(const char* what) {
  const std::string file = fmt::format("takt-fuzz-{}-{}-{}", current.name, current.seed, current.number);
  std::ofstream(file, std::ios::binary) << current.input;
  fmt::print(stderr, "FINDING {} seed {} case {}: {} (input in {})\n", current.name, current.seed,
             current.number, what, file);
}

void at_death() {
  report("see the sanitizer's report above");
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

int fuzz(const takt::test::FuzzedReader& reader, std::uint32_t count, std::uint64_t seed,
         std::uint32_t first) {
  constexpr double most_seconds = 1;
  const Fuzzer fuzzer(reader, seed);
  current.name = reader.name;
  current.seed = seed;
  std::uint32_t outcomes[3] = {};
  double slowest = 0;
  for (std::uint32_t i = first; i - first < count; ++i) {
    current.number = i;
    current.input = fuzzer.input(i);
    limit_case();
    const double before = processor_seconds();
    try {
      ++outcomes[static_cast<int>(fuzzer.attempt(i, current.input))];
    } catch (const std::exception& error) {
      report(error.what());
      return 1;
    }
    const double seconds = processor_seconds() - before;
    slowest = std::max(slowest, seconds);
    if (seconds > most_seconds) {
      report(fmt::format("{:.1f} s of processor time", seconds).c_str());
      return 1;
    }
  }
  __sanitizer_set_death_callback(nullptr);
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print("{} seed {} cases {} to {}: {} unchanged, {} changed, {} refused; slowest {:.0f} ms, {} MiB\n",
             reader.name, seed, first, first + count - 1, outcomes[0], outcomes[1], outcomes[2],
             slowest * 1e3, usage.ru_maxrss / 1024);
  return 0;
}

void end_hanging(int) {
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
  __sanitizer_set_death_callback(at_death);
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
