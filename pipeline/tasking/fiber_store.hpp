#pragma once
/// The fibers of a pool, which any of its workers uses again.

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "pipeline/tasking/fiber.hpp"

namespace takt::tasking::detail {

/// All fibers of a pool. They are freed with it.
class FiberStore {
 public:
  /// Adds spare fibers to a list: half a batch, or a new one where there is none. Throws std::bad_alloc.
  void take(std::vector<Fiber*>& to, std::size_t stack_bytes, void (*entry)(void*));
  /// Takes half of the list.
  void give(std::vector<Fiber*>& from);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Fiber>> all_;
  std::vector<Fiber*> spare_;
};

/// The spare fibers of one worker. Where one worker suspends tasks and another one continues them, fibers
/// move to the second: it gives them back in batches.
class SpareFibers {
 public:
  explicit SpareFibers(FiberStore& store) : store_(store) {}

  Fiber& take(std::size_t stack_bytes, void (*entry)(void*)) {
    if (spare_.empty()) store_.take(spare_, stack_bytes, entry);
    Fiber& fiber = *spare_.back();
    spare_.pop_back();
    return fiber;
  }
  void give(Fiber* fiber) {
    if (spare_.size() == most) store_.give(spare_);
    spare_.push_back(fiber);
  }

  static constexpr std::size_t most = 16;

 private:
  FiberStore& store_;
  std::vector<Fiber*> spare_;
};

}  // namespace takt::tasking::detail
