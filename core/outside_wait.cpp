#include "core/outside_wait.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include <unistd.h>

namespace takt {

namespace {

struct Waits {
  std::mutex mutex;
  /// By the number of the thread, the oldest first.
  std::vector<std::pair<pid_t, std::string>> all;
};

Waits& waits() {
  // Threads may wait until the process ends.
  static auto* const waits = new Waits;  // NOLINT(cppcoreguidelines-owning-memory)
  return *waits;
}

}  // namespace

OutsideWait::OutsideWait(std::string what) {
  const std::lock_guard lock(waits().mutex);
  waits().all.emplace_back(::gettid(), std::move(what));
}

OutsideWait::~OutsideWait() {
  const std::lock_guard lock(waits().mutex);
  auto& all = waits().all;
  const auto own =
      std::ranges::find(all.rbegin(), all.rend(), ::gettid(), &std::pair<pid_t, std::string>::first);
  if (own != all.rend()) all.erase(std::next(own).base());
}

AwaitedOutside awaited_outside() {
  const std::lock_guard lock(waits().mutex);
  AwaitedOutside awaited;
  for (const auto& [thread, what] : waits().all) {
    awaited.by_any_thread = what;
    if (thread == ::getpid()) awaited.by_main_thread = what;
  }
  return awaited;
}

}  // namespace takt
