/// takt::tasking.

#include <memory>

#include "bench/tasking/library.hpp"
#include "pipeline/tasking/pool.hpp"

namespace takt::bench {
namespace {

std::unique_ptr<tasking::Pool> pool;

struct TaktGroup {
  template <class F>
  void run(F&& callable) {
    tasking::spawn(std::forward<F>(callable));
  }
  void wait() { tasking::wait(); }
};

struct TaktRun {
  template <class F>
  static std::uint64_t in(const F& callable) {
    return pool->run(callable);
  }
};

}  // namespace

TaskLibrary takt_tasks() {
  return library_of<TaktGroup, TaktRun>(
      "takt",
      [](int workers) { pool = std::make_unique<tasking::Pool>(tasking::Options{.workers = workers}); },
      [] { pool.reset(); });
}

}  // namespace takt::bench
