#include "core/system/outside_wait.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include <unistd.h>

#include "core/system/clock.hpp"

namespace takt {

namespace {

struct Wait {
  pid_t thread = 0;
  std::string what;
  std::int64_t since_ns = 0;
};

struct Waits {
  std::mutex mutex;
  /// The oldest first.
  std::vector<Wait> all;
};

Waits& waits() {
  // Threads may wait until the process ends.
  static auto* const waits = new Waits;  // NOLINT(cppcoreguidelines-owning-memory)
  return *waits;
}

}  // namespace

OutsideWait::OutsideWait(std::string what) {
  const std::lock_guard lock(waits().mutex);
  waits().all.push_back({::gettid(), std::move(what), now_ns()});
}

OutsideWait::~OutsideWait() {
  const std::lock_guard lock(waits().mutex);
  std::vector<Wait>& all = waits().all;
  const auto own = std::ranges::find(all.rbegin(), all.rend(), ::gettid(), &Wait::thread);
  if (own != all.rend()) all.erase(std::next(own).base());
}

AwaitedOutside awaited_outside() {
  const std::lock_guard lock(waits().mutex);
  AwaitedOutside awaited;
  for (const Wait& wait : waits().all) {
    if (!awaited.by_any_thread) {
      awaited.by_any_thread = wait.what;
      awaited.since_ns = wait.since_ns;
    }
    if (wait.thread == ::getpid()) awaited.by_main_thread = wait.what;
  }
  return awaited;
}

}  // namespace takt
