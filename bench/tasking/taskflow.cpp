/// Taskflow's task groups.

#include <memory>

#include <taskflow/taskflow.hpp>

#include "bench/tasking/library.hpp"

namespace takt::bench {
namespace {

std::unique_ptr<tf::Executor> executor;

struct TaskflowGroup {
  template <class F>
  void run(F&& callable) {
    group.silent_async(std::forward<F>(callable));
  }
  void wait() { group.corun(); }
  tf::TaskGroup group = executor->task_group();
};

struct TaskflowRun {
  template <class F>
  static std::uint64_t in(const F& callable) {
    return executor->async(callable).get();
  }
};

}  // namespace

TaskLibrary taskflow_tasks() {
  return library_of<TaskflowGroup, TaskflowRun>(
      "Taskflow",
      [](int workers) { executor = std::make_unique<tf::Executor>(static_cast<std::size_t>(workers)); },
      [] { executor.reset(); });
}

}  // namespace takt::bench
