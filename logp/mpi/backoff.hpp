#pragma once
/// Waiting without burning a core that somebody else needs.

#include <chrono>

#include <sched.h>
#include <time.h>

namespace takt::mpi {

/// How to wait for something that has no file descriptor (an MPI request): spin for a moment, since a peer on
/// another core answers in microseconds; then yield, for a peer on this core; then sleep in short naps, for a
/// peer that has nothing to say. Eight ranks on two cores stay usable, two ranks on two cores stay fast.
class Backoff {
 public:
  /// Call between two unsuccessful attempts.
  void wait() {
    if (attempts_ < spins) {
      if (++attempts_ == spins) since_ = std::chrono::steady_clock::now();
      return;
    }
    if (std::chrono::steady_clock::now() - since_ < yielding_time) {
      ::sched_yield();
      return;
    }
    const timespec nap{0, 50'000};
    ::nanosleep(&nap, nullptr);
  }

 private:
  static constexpr int spins = 50;
  static constexpr std::chrono::microseconds yielding_time{500};

  int attempts_ = 0;
  std::chrono::steady_clock::time_point since_;
};

}  // namespace takt::mpi
