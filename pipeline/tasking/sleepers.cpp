#include "pipeline/tasking/sleepers.hpp"

#include <limits>

#include "core/system/futex.hpp"

namespace takt::tasking::detail {

bool Sleepers::rise(Sleeper& sleeper) {
  if (sleeper.is_asleep.exchange(0, std::memory_order_acq_rel) == 0) return false;
  count_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

bool Sleepers::wake(Sleeper& sleeper) {
  if (sleeper.is_asleep.load(std::memory_order_relaxed) == 0 || !rise(sleeper)) return false;
  futex_wake(sleeper.is_asleep);
  return true;
}

void Sleepers::rest(Sleeper& sleeper) {
  while (sleeper.is_asleep.load(std::memory_order_acquire) != 0)
    futex_wait(sleeper.is_asleep, 1, std::numeric_limits<std::int64_t>::max());
}

}  // namespace takt::tasking::detail
