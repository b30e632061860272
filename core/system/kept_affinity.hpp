#pragma once
/// Temporary changes of a thread's processor affinity.

#include <cstddef>

#include <sched.h>

namespace takt {

/// Restores the calling thread's affinity at the end of its lifetime.
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

/// Binds the calling thread to this processor; ignores a failure.
inline void keep_to_processor(std::size_t processor) {
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(processor, &own);
  ::sched_setaffinity(0, sizeof(own), &own);
}

}  // namespace takt
