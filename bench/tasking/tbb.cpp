/// oneTBB's task_group.

#include <memory>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "bench/tasking/library.hpp"

namespace takt::bench {
namespace {

std::unique_ptr<oneapi::tbb::global_control> control;
std::unique_ptr<oneapi::tbb::task_arena> arena;

struct TbbGroup {
  template <class F>
  void run(F&& callable) {
    group.run(std::forward<F>(callable));
  }
  void wait() { group.wait(); }
  oneapi::tbb::task_group group;
};

struct TbbRun {
  template <class F>
  static std::uint64_t in(const F& callable) {
    return arena->execute(callable);
  }
};

}  // namespace

TaskLibrary tbb_tasks() {
  return library_of<TbbGroup, TbbRun>(
      "oneTBB",
      [](int workers) {
        control = std::make_unique<oneapi::tbb::global_control>(
            oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers));
        arena = std::make_unique<oneapi::tbb::task_arena>(workers);
      },
      [] {
        arena.reset();
        control.reset();
      });
}

}  // namespace takt::bench
