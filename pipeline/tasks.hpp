#pragma once
/// Tasks with which a kernel uses several cores of its rank (Kernel::use_tasks).

#include <algorithm>
#include <cstddef>
#include <functional>

namespace takt::pipeline {

/// The cores of a rank (`deployment: {cores_per_rank}`). For the thread that calls the kernel, during a call,
/// and for the tasks that it starts. On one core, everything runs on that thread, in the order of the calls.
class Tasks {
 public:
  virtual ~Tasks() = default;

  /// Number of cores, the calling thread's included.
  [[nodiscard]] virtual std::size_t cores() const = 0;

  /// Calls `body(first, last)` for ranges of indices that cover 0 .. count - 1, and returns when all calls
  /// have ended; throws the first exception. Ranges of at most `grain` indices; with 0, about four for each
  /// core. Results must not depend on the ranges. Allocates nothing.
  template <class Body>
  void parallel_for_ranges(std::size_t count, const Body& body, std::size_t grain = 0) {
    if (count == 0) return;
    constexpr std::size_t ranges_per_core = 4;
    if (grain == 0)
      grain = cores() == 1 ? count : std::max<std::size_t>(1, count / (ranges_per_core * cores()));
    if (cores() == 1 || count <= grain) {
      for (std::size_t first = 0; first < count; first += grain) body(first, std::min(count, first + grain));
      return;
    }
    for_ranges(count, grain, {&body, [](const void* given, std::size_t first, std::size_t last) {
                                (*static_cast<const Body*>(given))(first, last);
                              }});
  }
  /// Calls `body(i)` for each index.
  template <class Body>
  void parallel_for(std::size_t count, const Body& body, std::size_t grain = 0) {
    parallel_for_ranges(
        count,
        [&body](std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i) body(i);
        },
        grain);
  }

  /// Runs `work` as a task, which may spawn others, and returns when it and all its descendants have ended;
  /// throws the first exception.
  virtual void run(const std::function<void()>& work) = 0;
  /// Within `run`: starts a child of the current task.
  virtual void spawn(std::function<void()> work) = 0;
  /// Within `run`: waits for the children of the current task; throws their first exception. Continues on any
  /// thread of the rank.
  virtual void wait() = 0;

 protected:
  /// A body of a loop, by reference.
  struct RangeBody {
    const void* body;
    void (*call)(const void* body, std::size_t first, std::size_t last);
  };
  virtual void for_ranges(std::size_t count, std::size_t grain, RangeBody body) = 0;
};

/// Returns the tasks of a rank with one core, without threads. `spawn` runs the work at `wait`, or at the end
/// of the task, in the order of the calls.
[[nodiscard]] Tasks& serial_tasks();

}  // namespace takt::pipeline
