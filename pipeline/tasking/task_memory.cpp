#include "pipeline/tasking/task_memory.hpp"

#include <algorithm>

namespace takt::tasking::detail {

void TaskStore::allocate() {
  // Small pools take 32 KiB, and a million tasks need 130 allocations.
  constexpr std::size_t first = 4 * TaskMemory::batch;
  constexpr std::size_t most = (std::size_t{1} << 20) / sizeof(Task);
  const std::size_t records = std::min(most, first << std::min<std::size_t>(blocks_.size(), 16));
  blocks_.push_back(std::make_unique<Task[]>(records));
  // Those of the lowest addresses are taken first.
  for (std::size_t i = records; i > 0; --i) free_.push_back(&blocks_.back()[i - 1]);
}

void TaskStore::take(std::span<Task*> records) {
  const std::lock_guard lock(mutex_);
  if (free_.size() < records.size()) allocate();
  std::copy(free_.end() - static_cast<std::ptrdiff_t>(records.size()), free_.end(), records.begin());
  free_.resize(free_.size() - records.size());
}

void TaskStore::give(std::span<Task* const> records) {
  const std::lock_guard lock(mutex_);
  free_.insert(free_.end(), records.begin(), records.end());
}

}  // namespace takt::tasking::detail
