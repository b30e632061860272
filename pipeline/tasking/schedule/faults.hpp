#pragma once
/// Messages for accesses that the processor refuses.

#include <cstdint>

namespace takt::tasking::schedule {

/// While it lives, an access to the stack of a unit that has returned, or an overflow of a unit's stack, ends
/// the program with a message that names the tags. Other faults go to the handler that was there before.
class FaultWatch {
 public:
  FaultWatch();
  FaultWatch(const FaultWatch&) = delete;
  FaultWatch& operator=(const FaultWatch&) = delete;
  ~FaultWatch();
};

/// Handlers run on a stack of their own: makes one for the calling thread, the first time.
void prepare_thread_for_faults();

/// The tag of the unit that this thread executes, for messages; 0: none, or `static`.
void set_executing_tag(std::int64_t tag);

}  // namespace takt::tasking::schedule
