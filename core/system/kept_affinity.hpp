#pragma once
/// Temporary changes of a thread's processor affinity.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <sched.h>

#include "core/system/allowed_processors.hpp"

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

/// Binds the calling thread to its present processor; returns another processor that it could use. Without
/// one, the affinity is unchanged and the result empty.
[[nodiscard]] inline std::optional<std::size_t> keep_to_one_processor() {
  const std::vector<std::size_t> allowed = allowed_processors();
  const auto here = static_cast<std::size_t>(std::max(0, ::sched_getcpu()));
  const auto other = std::ranges::find_if(allowed, [&](std::size_t each) { return each != here; });
  if (other == allowed.end()) return std::nullopt;
  keep_to_processor(here);
  return *other;
}

}  // namespace takt
