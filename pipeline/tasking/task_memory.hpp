#pragma once
/// Records of tasks for one pool, recycled without locks in the usual case.

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "pipeline/tasking/pause.hpp"
#include "pipeline/tasking/task.hpp"

namespace takt::tasking::detail {

/// All records of a pool. They are freed with it.
class TaskStore {
 public:
  void take(std::span<Task*> records);
  void give(std::span<Task* const> records);

 private:
  void allocate();

  std::mutex mutex_;
  std::vector<std::unique_ptr<Task[]>> blocks_;
  std::vector<Task*> free_;
};

/// The free records of one worker; a worker that frees more than it uses gives them back in batches. An array
/// of pointers and not a list, so that records can be brought into the cache ahead.
class TaskMemory {
 public:
  static constexpr std::size_t batch = 64;

  explicit TaskMemory(TaskStore& store) : store_(store) {}

  Task* take() {
    if (count_ == 0) {
      store_.take(std::span(free_).first(batch));
      count_ = batch;
      for (std::size_t i = 1; i <= ahead; ++i) prefetch_for_write(free_[batch - i]);
    }
    --count_;
    if (count_ >= ahead) prefetch_for_write(free_[count_ - ahead]);
    return free_[count_];
  }
  void give(Task* task) {
    if (count_ == free_.size()) {
      store_.give(std::span(free_).last(batch));
      count_ -= batch;
    }
    free_[count_++] = task;
  }

 private:
  /// A record takes 100 ns from memory, 400 ns from the cache of a distant processor, and 10 ns to fill.
  static constexpr std::size_t ahead = 16;

  TaskStore& store_;
  std::size_t count_ = 0;
  std::array<Task*, 2 * batch> free_{};
};

}  // namespace takt::tasking::detail
