#include "pipeline/tasking/sleepers.hpp"

#include <limits>
#include <utility>

#include "core/system/futex.hpp"

namespace takt::tasking::detail {

namespace {

/// Keeps the sleeper away from the calling thread's processor, unless it may run on no other one.
void keep_away(Sleeper& sleeper) {
  const int here = ::sched_getcpu();
  if (sleeper.thread == 0 || here < 0 || !CPU_ISSET(here, &sleeper.allowed)) return;
  cpu_set_t others = sleeper.allowed;
  CPU_CLR(here, &others);
  sleeper.is_kept_away =
      CPU_COUNT(&others) > 0 && ::sched_setaffinity(sleeper.thread, sizeof(others), &others) == 0;
}

}  // namespace

bool Sleepers::begin_to_wake(Sleeper& sleeper) {
  std::uint32_t expected = Sleeper::asleep;
  if (!sleeper.state.compare_exchange_strong(expected, Sleeper::waking, std::memory_order_acq_rel))
    return false;
  count_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

bool Sleepers::wake(Sleeper& sleeper) {
  if (sleeper.state.load(std::memory_order_relaxed) != Sleeper::asleep || !begin_to_wake(sleeper))
    return false;
  keep_away(sleeper);
  sleeper.state.store(Sleeper::awake, std::memory_order_release);
  futex_wake(sleeper.state);
  return true;
}

void Sleepers::rest(Sleeper& sleeper) {
  for (std::uint32_t state = sleeper.state.load(std::memory_order_acquire); state != Sleeper::awake;
       state = sleeper.state.load(std::memory_order_acquire))
    futex_wait(sleeper.state, state, std::numeric_limits<std::int64_t>::max());
  sleeper.woke_on = ::sched_getcpu();
  if (!std::exchange(sleeper.is_kept_away, false)) return;
  ::sched_setaffinity(0, sizeof(sleeper.allowed), &sleeper.allowed);
}

void Sleepers::prepare(Sleeper& sleeper) {
  if (sleeper.thread != 0 && ::sched_getaffinity(0, sizeof(sleeper.allowed), &sleeper.allowed) != 0)
    CPU_ZERO(&sleeper.allowed);
}

}  // namespace takt::tasking::detail
