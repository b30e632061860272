#pragma once
/// Waiting without using a core that other ranks need.

#include <algorithm>
#include <chrono>

#include <sched.h>
#include <time.h>

namespace takt::mpi {

/// Waiting for an event without a file descriptor (an MPI request): first spin,
/// since a peer on another core answers in microseconds; then yield, for a peer
/// on this core; then sleep in naps of increasing length, for an idle peer. Eight
/// ranks on two cores stay usable, two ranks on two cores stay fast, and a rank
/// that waits for seconds uses less than 1 % of a core, including TCP's polls.
class Backoff {
 public:
  Backoff() = default;
  /// For a wait that is known to be long, without a disturbance of other ranks: naps of four milliseconds.
  [[nodiscard]] static Backoff patient() {
    Backoff backoff;
    backoff.attempts_ = spins;
    return backoff;
  }

  /// Call between two unsuccessful attempts.
  void wait() {
    if (attempts_ < spins) {
      if (++attempts_ == spins) since_ = std::chrono::steady_clock::now();
      return;
    }
    const std::chrono::nanoseconds waited = std::chrono::steady_clock::now() - since_;
    if (waited < yielding_time) {
      ::sched_yield();
      return;
    }
    const timespec nap{0, std::clamp(waited / 16, shortest_nap, longest_nap).count()};
    ::nanosleep(&nap, nullptr);
  }

 private:
  static constexpr int spins = 50;
  static constexpr std::chrono::nanoseconds yielding_time{500'000}, shortest_nap{50'000},
      longest_nap{4'000'000};

  int attempts_ = 0;
  /// In the distant past until all spins are done.
  std::chrono::steady_clock::time_point since_;
};

}  // namespace takt::mpi
