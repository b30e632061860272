#pragma once
/// Another rank on the same host, as far as memory and shared caches notice it.

#include <atomic>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

#include "core/units.hpp"
#include "pipeline/profiling/loop_memory.hpp"

namespace takt::pipeline {

/// A thread that goes through the frames of a loop, written by it, in the loop's order and at the loop's
/// pace: in the time that the tasks take for a frame, once. What is left of the time it computes. It starts
/// at rest.
class Neighbour {
 public:
  /// Keeps to `processor`. `loop` is what a frame takes. Its memory, which must outlive it, is nobody else's.
  Neighbour(const LoopMemory& memory, Time loop, std::size_t processor);
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;
  ~Neighbour();

  /// Returns when it is at work.
  void work();
  /// Returns when it has stopped.
  void rest();
  /// How many times it has gone through all frames.
  [[nodiscard]] std::size_t rounds() const { return rounds_.load(std::memory_order_relaxed); }

 private:
  enum class State { resting, working, ended };
  void run(std::size_t processor);
  /// Until something else is wanted.
  void go_through();
  [[nodiscard]] bool is_wanted() const { return wanted_.load(std::memory_order_acquire) == State::working; }
  void want(State state);
  void await(State state) const;

  std::vector<std::span<std::byte>> frames_;
  std::size_t bytes_ = 0;
  Time loop_;
  std::atomic<State> wanted_{State::resting}, state_{State::resting};
  std::atomic<std::size_t> rounds_{0};
  std::thread thread_;
};

}  // namespace takt::pipeline
