#include "pipeline/tasking/sleepers.hpp"

#include <limits>

#include <unistd.h>

#include "core/system/futex.hpp"

namespace takt::tasking::detail {

namespace {

/// Keeps the sleeper away from the calling thread's processor, unless it may run on no other one.
void keep_away(Sleeper& sleeper) {
  const int here = ::sched_getcpu();
  if (sleeper.thread == 0 || here < 0 || sleeper.avoided.load(std::memory_order_relaxed) == here) return;
  cpu_set_t others = sleeper.allowed;
  CPU_CLR(here, &others);
  if (CPU_COUNT(&others) == 0 || ::sched_setaffinity(sleeper.thread, sizeof(others), &others) != 0) return;
  sleeper.avoided.store(here, std::memory_order_relaxed);
}

}  // namespace

void Sleeper::move_in() {
  avoided.store(-1, std::memory_order_relaxed);
  thread = ::sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? ::gettid() : 0;
}

bool Sleepers::rise(Sleeper& sleeper) {
  if (sleeper.is_asleep.exchange(0, std::memory_order_acq_rel) == 0) return false;
  count_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

bool Sleepers::wake(Sleeper& sleeper) {
  if (sleeper.is_asleep.load(std::memory_order_relaxed) == 0 || !rise(sleeper)) return false;
  keep_away(sleeper);
  futex_wake(sleeper.is_asleep);
  return true;
}

void Sleepers::rest(Sleeper& sleeper) {
  while (sleeper.is_asleep.load(std::memory_order_acquire) != 0)
    futex_wait(sleeper.is_asleep, 1, std::numeric_limits<std::int64_t>::max());
}

}  // namespace takt::tasking::detail
