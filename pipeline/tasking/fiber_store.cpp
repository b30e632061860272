#include "pipeline/tasking/fiber_store.hpp"

#include <algorithm>

namespace takt::tasking::detail {

void FiberStore::take(std::vector<Fiber*>& to, std::size_t stack_bytes, void (*entry)(void*)) {
  const std::lock_guard lock(mutex_);
  if (spare_.empty()) {
    all_.push_back(std::make_unique<Fiber>(stack_bytes, entry, nullptr));
    to.push_back(all_.back().get());
    return;
  }
  const auto count = static_cast<std::ptrdiff_t>(std::min(SpareFibers::most / 2, spare_.size()));
  to.insert(to.end(), spare_.end() - count, spare_.end());
  spare_.erase(spare_.end() - count, spare_.end());
}

void FiberStore::give(std::vector<Fiber*>& from) {
  const std::lock_guard lock(mutex_);
  const auto count = static_cast<std::ptrdiff_t>(from.size() / 2);
  spare_.insert(spare_.end(), from.end() - count, from.end());
  from.erase(from.end() - count, from.end());
}

}  // namespace takt::tasking::detail
