#pragma once
/// One library of tasks that is measured: its workers, and the programs written with it.

#include <cstdint>

#include "bench/tasking/programs.hpp"

namespace takt::bench {

struct TaskLibrary {
  using Program = std::uint64_t (*)(std::uint64_t);

  const char* name;
  /// Begins with so many workers; ends them.
  void (*open)(int workers);
  void (*close)();
  Program spawn_and_join, fibonacci, skynet, queens, tree, cholesky, triangular_solve;
};

/// Runs on the caller, which has no tasks: for results.
struct SerialGroup {
  template <class F>
  void run(F&& callable) {
    callable();
  }
  void wait() {}
};

/// `Run::in(f)` calls f() as the first task and returns its result.
template <class Group, class Run>
TaskLibrary library_of(const char* name, void (*open)(int), void (*close)()) {
  return {
      name,
      open,
      close,
      [](std::uint64_t n) { return Run::in([n] { return spawn_and_join<Group>(n); }); },
      [](std::uint64_t n) { return Run::in([n] { return fibonacci<Group>(n); }); },
      [](std::uint64_t n) { return Run::in([n] { return skynet<Group>(0, n); }); },
      [](std::uint64_t n) { return Run::in([n] { return place_queens<Group>({}, 0, n); }); },
      [](std::uint64_t n) { return Run::in([n] { return count_tree<Group>(n); }); },
      [](std::uint64_t n) { return Run::in([n] { return cholesky<Group>(n); }); },
      [](std::uint64_t n) { return Run::in([n] { return triangular_solve<Group>(n); }); },
  };
}

TaskLibrary takt_tasks();
TaskLibrary tbb_tasks();
TaskLibrary openmp_tasks();
TaskLibrary taskflow_tasks();

}  // namespace takt::bench
