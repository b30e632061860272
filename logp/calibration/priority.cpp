#include "logp/calibration/priority.hpp"

#include <sched.h>
#include <sys/resource.h>

namespace takt::logp {

RealTimePriority::RealTimePriority(bool wanted) {
  if (!wanted) return;
  // A rank that waits for a dead one must not keep its core for ever.
  constexpr rlim_t longest_microseconds = 3'000'000;
  const rlimit limit{longest_microseconds, longest_microseconds};
  const sched_param lowest{.sched_priority = sched_get_priority_min(SCHED_FIFO)};
  is_granted_ = ::setrlimit(RLIMIT_RTTIME, &limit) == 0 &&
                ::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest) == 0;
}

RealTimePriority::~RealTimePriority() {
  const sched_param none{};
  if (is_granted_) ::sched_setscheduler(0, SCHED_OTHER, &none);
}

}  // namespace takt::logp
