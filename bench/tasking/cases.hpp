#pragma once
/// The programs that are measured: recursive tasks without work of their own, so that only their
/// administration counts.

#include <cstdint>

namespace takt::bench {

/// One library's runs; each returns a result that is checked.
struct TaskLibrary {
  const char* name;
  /// Begins with so many workers; ends them.
  void (*open)(int workers);
  void (*close)();
  /// Spawns and joins so many empty tasks; returns how many ran.
  std::uint64_t (*spawn_and_join)(std::uint64_t tasks);
  /// Fibonacci's number by two tasks a call.
  std::uint64_t (*fibonacci)(std::uint64_t n);
  /// Sum of the numbers below 10^depth by trees of ten children.
  std::uint64_t (*skynet)(std::uint64_t depth);
};

TaskLibrary takt_tasks();
TaskLibrary tbb_tasks();

}  // namespace takt::bench
