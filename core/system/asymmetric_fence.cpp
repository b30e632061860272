#include "core/system/asymmetric_fence.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace takt {

namespace {

bool membarrier(int command) noexcept {
  return ::syscall(SYS_membarrier, command, 0U, 0) == 0;
}

}  // namespace

AsymmetricFence::AsymmetricFence() noexcept
    : kernel_fences_(membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)) {}

void AsymmetricFence::heavy() const noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (kernel_fences_) (void)membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

}  // namespace takt
