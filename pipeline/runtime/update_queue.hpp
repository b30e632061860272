#pragma once
/// Parameter updates (`takt set`) that a rank knows, independent of the current plan.

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/config/change.hpp"

namespace takt::pipeline {

/// A parameter update that applies from this frame on.
struct BegunChange {
  std::uint32_t number = 0;
  std::uint64_t frame = 0;
  std::uint16_t epoch = 0;
  std::int64_t utc_ns = 0;
};

class UpdateQueue {
 public:
  /// From any thread: adds an update, unless it is known already.
  void prepare(const Change& change) {
    const std::lock_guard lock(mutex_);
    if (changes_.empty() || changes_.back().number < change.number) changes_.push_back(change);
  }
  /// From any thread: allows the updates up to this one, which all ranks have. The next frames of sources
  /// here may begin them.
  void allow(std::uint32_t number) { allowed_.store(number, std::memory_order_release); }
  /// From any thread: returns the updates that have begun at sources here since the last call.
  [[nodiscard]] std::vector<BegunChange> take_begun() {
    const std::lock_guard lock(mutex_);
    return std::exchange(begun_, {});
  }

  /// Returns the last update that may begin.
  [[nodiscard]] std::uint32_t allowed() const { return allowed_.load(std::memory_order_acquire); }
  /// Begins an update with this frame of a source here, once per update.
  void begin(std::uint32_t number, const FrameHeader& header) {
    if (number == last_begun_) return;
    last_begun_ = number;
    const std::lock_guard lock(mutex_);
    begun_.push_back({number, header.sequence, header.epoch, header.utc_ns});
  }
  /// Returns the updates after `before`, up to `last`.
  [[nodiscard]] std::vector<Change> between(std::uint32_t before, std::uint32_t last) {
    const std::lock_guard lock(mutex_);
    std::vector<Change> found;
    for (const Change& change : changes_)
      if (change.number > before && change.number <= last) found.push_back(change);
    return found;
  }

  /// Updates that a stage here has applied: the last one, and the parameters if they are not those of the
  /// pipeline file. For the executor's thread.
  struct Known {
    std::uint32_t number = 0;
    std::optional<Parameters> parameters;
  };
  [[nodiscard]] Known& known(std::size_t stage) { return known_[stage]; }

 private:
  std::mutex mutex_;
  std::vector<Change> changes_;
  std::vector<BegunChange> begun_;
  std::atomic<std::uint32_t> allowed_{0};
  std::uint32_t last_begun_ = 0;
  std::map<std::size_t, Known> known_;
};

}  // namespace takt::pipeline
