/// What do tasks cost, compared with oneTBB, Taskflow and OpenMP? The libraries take turns in one run, and
/// the least time of each counts. Prints JSON: nanoseconds a task of each library, the ratio (oneTBB's over
/// takt's), and a verdict for each row; then the aims that rows are compared with. tasking [REPETITIONS
/// [CASE]], CASE: the beginning of the names of the rows to measure

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/tasking/library.hpp"
#include "pipeline/tasking/pool.hpp"
#include "pipeline/tasking/schedule/takt_schedule.h"

namespace takt::bench {
namespace {

struct SerialRun {
  template <class F>
  static std::uint64_t in(const F& callable) {
    return callable();
  }
};

struct Case {
  const char* name;
  TaskLibrary::Program TaskLibrary::*run;
  std::uint64_t argument;
  /// Of the program, for the time of a task; 0: as many as the result.
  std::uint64_t tasks;
};

constexpr Case cases[] = {
    {"empty tasks", &TaskLibrary::spawn_and_join, 1'000'000, 1'000'000},
    {"Fibonacci 27", &TaskLibrary::fibonacci, 27, 635'620},
    {"skynet 10^6", &TaskLibrary::skynet, 1'000'000, 1'111'110},
    {"queens 10", &TaskLibrary::queens, 10, 35'538},
    {"triangular solve, 48 tiles", &TaskLibrary::triangular_solve, 48, 136},
    {"Cholesky, 16 tiles", &TaskLibrary::cholesky, 16, 800},
    {"UTS with memory", &TaskLibrary::tree, 42, 0},
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Nanoseconds a task. Ends the process when the result is wrong.
double measure(const TaskLibrary& library, const Case& one, std::uint64_t expected) {
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t result = (library.*one.run)(one.argument);
  const double seconds = seconds_since(begin);
  if (result != expected) {
    fmt::print(stderr, "{}, {}: {} instead of {}\n", library.name, one.name, result, expected);
    std::exit(1);
  }
  return 1e9 * seconds / static_cast<double>(one.tasks == 0 ? result : one.tasks);
}

/// Of the whole process, which runs nothing else: the most memory that 10^6 tasks take, in MB.
double memory_of_a_million_tasks() {
  int ends[2];
  if (::pipe(ends) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    tasking::Pool pool({.workers = 1});
    pool.run([] {
      for (int i = 0; i < 1'000'000; ++i) tasking::spawn([] {});
      tasking::wait();
    });
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const double megabytes = static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
    ::_exit(::write(ends[1], &megabytes, sizeof(megabytes)) == sizeof(megabytes) ? 0 : 1);
  }
  double megabytes = -1;
  if (::read(ends[0], &megabytes, sizeof(megabytes)) != sizeof(megabytes)) megabytes = -1;
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  return megabytes;
}

/// The guide's inner product: units of ten microseconds, and one that follows them all.
struct InnerProduct {
  static constexpr std::int64_t units = 1000;
  static constexpr double each = 10e-6;

  static void work(std::int64_t, void*) {
    const auto begin = std::chrono::steady_clock::now();
    while (seconds_since(begin) < each) {
    }
  }
  static void nothing(std::int64_t, void*) {}
  static void describe(std::int64_t, void*) {
    const std::int64_t last = units + 1;
    for (std::int64_t tag = 1; tag <= units; ++tag) {
      takt_dep(tag, 0, 1, &last);
      takt_putq(tag, work, nullptr);
    }
    takt_dep(last, units, 0, nullptr);
    takt_putq(last, nothing, nullptr);
  }
  /// The share of the ideal time of two workers.
  static double efficiency() {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 20; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      takt_sched(2, describe, nullptr);
      least = std::min(least, seconds_since(begin));
    }
    return static_cast<double>(units) * each / 2 / least;
  }
};

/// Eight units of 200 us on two workers, each time 5 ms after the last ones, as frames arrive.
struct PausedUnits {
  static constexpr int units = 8;
  static constexpr double each = 200e-6;

  /// The median share of the ideal time of two workers.
  static double efficiency() {
    tasking::Pool pool({.workers = 2});
    std::vector<double> seconds(51);
    for (double& one : seconds) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      const auto begin = std::chrono::steady_clock::now();
      pool.run([] {
        for (int i = 0; i < units; ++i)
          tasking::spawn([] {
            const auto start = std::chrono::steady_clock::now();
            while (seconds_since(start) < each) {
            }
          });
        tasking::wait();
      });
      one = seconds_since(begin);
    }
    std::ranges::nth_element(seconds, seconds.begin() + 25);
    return units * each / 2 / seconds[25];
  }
};

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

const char* verdict(bool is_met) {
  return is_met ? "met" : "missed";
}

void compare(const std::vector<TaskLibrary>& libraries, int repetitions, const std::string& wanted) {
  // Takt's times by case and workers.
  std::map<std::string, std::array<double, 2>> own;
  std::vector<double> ratios;
  double least_ratio = std::numeric_limits<double>::infinity();
  fmt::print("{{\"processor\": \"{}\", \"processors\": {}, \"repetitions\": {},\n \"rows\": [", processor(),
             std::thread::hardware_concurrency(), repetitions);
  bool is_first = true;
  for (const Case& one : cases) {
    if (!std::string(one.name).starts_with(wanted)) continue;
    const TaskLibrary serial = library_of<SerialGroup, SerialRun>("serial", nullptr, nullptr);
    const std::uint64_t expected = (serial.*one.run)(one.argument);
    for (const int workers : {1, 2}) {
      std::vector<double> least(libraries.size(), std::numeric_limits<double>::infinity());
      for (int i = 0; i < repetitions; ++i)
        for (std::size_t k = 0; k < libraries.size(); ++k) {
          libraries[k].open(workers);
          // The first run warms caches and wakes workers.
          for (int run = 0; run < 3; ++run)
            least[k] = std::min(least[k], measure(libraries[k], one, expected));
          libraries[k].close();
        }
      own[one.name][static_cast<std::size_t>(workers - 1)] = least[0];
      fmt::print("{}\n  {{\"case\": \"{}\", \"workers\": {}", is_first ? "" : ",", one.name, workers);
      is_first = false;
      for (std::size_t k = 0; k < libraries.size(); ++k)
        fmt::print(", \"{}\": {:.1f}", libraries[k].name, least[k]);
      for (std::size_t k = 1; k < libraries.size(); ++k) {
        if (std::string(libraries[k].name) != "oneTBB") continue;
        const double ratio = least[k] / least[0];
        ratios.push_back(ratio);
        least_ratio = std::min(least_ratio, ratio);
        fmt::print(", \"ratio\": {:.2f}, \"verdict\": \"{}\"", ratio, ratio >= 1 ? "ahead" : "behind");
      }
      fmt::print("}}");
      std::fflush(stdout);
    }
  }
  fmt::print("],\n \"aims\": [");
  const double efficiency = InnerProduct::efficiency();
  fmt::print(
      "\n  {{\"aim\": \"sched, 1000 units of 10 us, 2 workers: 0.95 of ideal\", \"value\": {:.3f}, "
      "\"verdict\": \"{}\"}}",
      efficiency, verdict(efficiency >= 0.95));
  const double paused = PausedUnits::efficiency();
  fmt::print(
      ",\n  {{\"aim\": \"8 units of 200 us after a pause of 5 ms, 2 workers: 0.8 of ideal\", \"value\": "
      "{:.3f}, "
      "\"verdict\": \"{}\"}}",
      paused, verdict(paused >= 0.8));
  if (const auto found = own.find("empty tasks"); found != own.end()) {
    const auto& [one, two] = found->second;
    fmt::print(
        ",\n  {{\"aim\": \"empty tasks, 1 worker: at most 35 ns\", \"value\": {:.1f}, \"verdict\": \"{}\"}}",
        one, verdict(one <= 35));
    fmt::print(
        ",\n  {{\"aim\": \"empty tasks, 2 workers: at most 20 ns\", \"value\": {:.1f}, \"verdict\": \"{}\"}}",
        two, verdict(two <= 20));
  }
  for (const auto& [name, times] : own)
    fmt::print(
        ",\n  {{\"aim\": \"{}: 2 workers are not slower than 1\", \"value\": {:.2f}, \"verdict\": \"{}\"}}",
        name, times[0] / times[1], verdict(times[1] <= times[0]));
  if (!ratios.empty()) {
    std::ranges::sort(ratios);
    const double median = (ratios[ratios.size() / 2] + ratios[(ratios.size() - 1) / 2]) / 2;
    fmt::print(",\n  {{\"aim\": \"not behind oneTBB in any row\", \"value\": {:.2f}, \"verdict\": \"{}\"}}",
               least_ratio, verdict(least_ratio >= 1));
    fmt::print(
        ",\n  {{\"aim\": \"1.2 times as fast as oneTBB in the median\", \"value\": {:.2f}, \"verdict\": "
        "\"{}\"}}",
        median, verdict(median >= 1.2));
  }
}

}  // namespace

}  // namespace takt::bench

int main(int count, char** arguments) {
  using namespace takt::bench;
  // Before other libraries have taken memory.
  const double megabytes = memory_of_a_million_tasks();
  std::vector<TaskLibrary> libraries{takt_tasks()};
#ifdef TAKT_HAS_TBB
  libraries.push_back(tbb_tasks());
#endif
#ifdef TAKT_HAS_TASKFLOW
  libraries.push_back(taskflow_tasks());
#endif
#ifdef TAKT_HAS_OPENMP
  libraries.push_back(openmp_tasks());
#endif
  compare(libraries, count > 1 ? std::atoi(arguments[1]) : 5, count > 2 ? arguments[2] : "");
  fmt::print(
      ",\n  {{\"aim\": \"10^6 tasks: less than 200 MB\", \"value\": {:.0f}, \"verdict\": \"{}\"}}]}}\n",
      megabytes, megabytes >= 0 && megabytes < 200 ? "met" : "missed");
}
