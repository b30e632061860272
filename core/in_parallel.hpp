#pragma once
/// Two pieces of one long work at the same time.

#include <functional>

namespace takt {

/// Does both pieces of work, neither of which may touch what the other one changes: `beside` in a thread of
/// its own where this process may use two processors and has room for a thread, otherwise behind `work`.
/// Throws what either throws, `work` first. A thread costs some 50 us, and what it allocates stays with it
/// until it is needed again.
void in_parallel(const std::function<void()>& work, const std::function<void()>& beside);

/// Both if `is_long`, one after the other otherwise.
inline void in_parallel_if(bool is_long, const std::function<void()>& work,
                           const std::function<void()>& beside) {
  if (is_long) return in_parallel(work, beside);
  work();
  beside();
}

}  // namespace takt
