#pragma once
/// A fence between two threads of which one passes it often and the other one nearly never.

#include <atomic>

namespace takt {

/// After both threads have passed their side of it, each a store before and a load behind it, at least one of
/// them sees the other's store (Dekker's way). The light side only keeps the compiler from reordering, and
/// the heavy one makes the kernel fence all threads of the process (membarrier(2)): 5 ns less for each frame.
/// Where the kernel cannot, both are plain fences.
class AsymmetricFence {
 public:
  AsymmetricFence() noexcept;

  void light() const noexcept {
    if (kernel_fences_) [[likely]]
      std::atomic_signal_fence(std::memory_order_seq_cst);
    else
      std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  void heavy() const noexcept;

 private:
  bool kernel_fences_;
};

}  // namespace takt
