#pragma once
/// The exceptions of a task and of its descendants, for the one who waits.

#include <cstddef>
#include <exception>
#include <mutex>
#include <utility>

namespace takt::tasking {

/// Keeps the first exception and counts further ones. Any thread may add.
class Failure {
 public:
  void add(std::exception_ptr exception, std::size_t further = 0) {
    const std::lock_guard lock(mutex_);
    further_ += further;
    if (first_ == nullptr)
      first_ = std::move(exception);
    else if (exception != nullptr)
      ++further_;
  }
  /// Forgets this exception, which a waiter has received, if it is the first one.
  void forget(const std::exception_ptr& exception) {
    const std::lock_guard lock(mutex_);
    if (first_ == exception) first_ = nullptr;
  }
  /// The first exception, if any; forgets it. Further ones remain counted.
  std::exception_ptr take_first() {
    const std::lock_guard lock(mutex_);
    return std::exchange(first_, nullptr);
  }
  /// The number of further exceptions; forgets it.
  std::size_t take_further() {
    const std::lock_guard lock(mutex_);
    return std::exchange(further_, 0);
  }
  [[nodiscard]] std::pair<std::exception_ptr, std::size_t> look() {
    const std::lock_guard lock(mutex_);
    return {first_, further_};
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
  std::size_t further_ = 0;
};

}  // namespace takt::tasking
