#pragma once
/// Work that may bind its thread, and leaves it as free as it was.

#include <sched.h>

namespace takt {

/// While it lives the calling thread may be bound to processors; at its end it may run where it might before.
class KeptAffinity {
 public:
  KeptAffinity() : is_known_(::sched_getaffinity(0, sizeof(allowed_), &allowed_) == 0) {}
  KeptAffinity(const KeptAffinity&) = delete;
  KeptAffinity& operator=(const KeptAffinity&) = delete;
  ~KeptAffinity() {
    if (is_known_) ::sched_setaffinity(0, sizeof(allowed_), &allowed_);
  }

 private:
  cpu_set_t allowed_{};
  bool is_known_;
};

}  // namespace takt
