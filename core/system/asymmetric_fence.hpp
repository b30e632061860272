#pragma once
/// A fence between a thread that passes it often and one that passes it very rarely.

#include <atomic>

namespace takt {

/// If each thread stores before its side of the fence and loads after it, at least one of them sees the
/// other's store (Dekker's algorithm). The light side only prevents reordering by the compiler; the heavy
/// side makes the kernel fence all threads of the process (membarrier(2)): 5 ns less per frame. Without
/// kernel support both are plain fences.
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
