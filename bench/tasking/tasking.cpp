/// What does the administration of a task cost, compared with oneTBB? Prints the ratio of the times (oneTBB's
/// over takt's), then nanoseconds a task, for one worker and for two; the libraries take turns in one run,
/// and the least time of each counts. tasking [REPETITIONS]

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "bench/tasking/cases.hpp"

namespace takt::bench {
namespace {

struct Case {
  const char* name;
  std::uint64_t (*TaskLibrary::*run)(std::uint64_t);
  std::uint64_t argument;
  std::uint64_t result;
  std::uint64_t tasks;
};

constexpr Case cases[] = {
    {"spawn and join", &TaskLibrary::spawn_and_join, 1'000'000, 1'000'000, 1'000'000},
    {"Fibonacci 27", &TaskLibrary::fibonacci, 27, 196'418, 635'620},
    {"skynet 10^6", &TaskLibrary::skynet, 6, 499'999'500'000, 1'111'110},
};

/// Nanoseconds a task.
double measure(const TaskLibrary& library, const Case& one) {
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t result = (library.*one.run)(one.argument);
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  if (result != one.result) {
    fmt::print(stderr, "{}, {}: {} instead of {}\n", library.name, one.name, result, one.result);
    std::exit(1);
  }
  return time.count() / static_cast<double>(one.tasks);
}

void compare(const std::vector<TaskLibrary>& libraries, int repetitions) {
  fmt::print("{:<16} {:>7} {:>7}", "case", "workers", "ratio");
  for (const TaskLibrary& each : libraries) fmt::print(" {:>8} ns", each.name);
  fmt::print("\n");
  for (const Case& one : cases)
    for (const int workers : {1, 2}) {
      std::vector<double> least(libraries.size(), std::numeric_limits<double>::infinity());
      for (int i = 0; i < repetitions; ++i)
        for (std::size_t k = 0; k < libraries.size(); ++k) {
          libraries[k].open(workers);
          // The first run warms caches and wakes workers.
          for (int run = 0; run < 3; ++run) least[k] = std::min(least[k], measure(libraries[k], one));
          libraries[k].close();
        }
      fmt::print("{:<16} {:>7} {:>7.2f}", one.name, workers, least.back() / least.front());
      for (const double time : least) fmt::print(" {:>11.1f}", time);
      fmt::print("\n");
    }
}

}  // namespace
}  // namespace takt::bench

int main(int count, char** arguments) {
  using namespace takt::bench;
  std::vector<TaskLibrary> libraries{takt_tasks()};
#ifdef TAKT_HAS_TBB
  libraries.push_back(tbb_tasks());
#endif
  compare(libraries, count > 1 ? std::atoi(arguments[1]) : 5);
}
