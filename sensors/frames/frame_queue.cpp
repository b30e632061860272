#include "sensors/frames/frame_queue.hpp"

#include "core/system/futex.hpp"

namespace takt::sensors {

void FrameQueue::Ring::put(FrameSlot* slot) {
  const std::uint64_t head = head_.load(std::memory_order_relaxed);
  slots_[head % slots_.size()] = slot;
  head_.store(head + 1, std::memory_order_release);
}

FrameSlot* FrameQueue::Ring::peek(std::size_t ahead) const {
  const std::uint64_t place = tail_.load(std::memory_order_relaxed) + ahead;
  return head_.load(std::memory_order_acquire) <= place ? nullptr : slots_[place % slots_.size()];
}

void FrameQueue::Ring::drop_first() {
  tail_.store(tail_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

FrameQueue::FrameQueue(std::size_t slots, FrameMemory memory)
    : memory_(std::move(memory)), slots_(slots), free_(slots), ready_(slots) {
  idle_.reserve(slots);
  for (std::size_t i = 0; i < slots; ++i) {
    slots_[i].bytes = memory_.frame(i);
    idle_.push_back(&slots_[slots - 1 - i]);
  }
}

FrameSlot* FrameQueue::acquire() {
  while (FrameSlot* slot = free_.peek()) {
    idle_.push_back(slot);
    free_.drop_first();
  }
  if (idle_.empty()) return nullptr;
  FrameSlot* const slot = idle_.back();
  idle_.pop_back();
  return slot;
}

void FrameQueue::push(FrameSlot* slot) {
  ready_.put(slot);
  high_water_.raise_to(ready_.size());
  // Either the consumer sees the slot before it sleeps, or this thread sees it sleeping.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (sleeping_.load(std::memory_order_relaxed) != 0) wake();
}

void FrameQueue::wait(std::int64_t latest_ns) {
  sleeping_.store(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (front() == nullptr) futex_wait(sleeping_, 1, latest_ns);
  sleeping_.store(0, std::memory_order_relaxed);
}

void FrameQueue::wake() {
  sleeping_.store(0, std::memory_order_relaxed);
  futex_wake(sleeping_);
}

void FrameQueue::pop() {
  FrameSlot* slot = ready_.peek();
  ready_.drop_first();
  --taken_;
  free_.put(slot);
}

}  // namespace takt::sensors
