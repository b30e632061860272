#include "pipeline/runtime/channels/ring.hpp"

#include "core/system/futex.hpp"

namespace takt::pipeline {

void Ring::wake(Sleeper& sleeper, std::uint64_t count) {
  if (count < sleeper.wanted.load(std::memory_order_relaxed)) return;
  if (sleeper.sleeps.exchange(0) != 0) futex_wake(sleeper.sleeps);
}

void Ring::sleep(const Cursor& cursor, std::uint64_t count, Sleeper& self, std::int64_t latest_ns) {
  self.wanted.store(count, std::memory_order_relaxed);
  self.sleeps.store(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (cursor.load(std::memory_order_acquire) < count) futex_wait(self.sleeps, 1, latest_ns);
  self.sleeps.store(0, std::memory_order_relaxed);
}

}  // namespace takt::pipeline
