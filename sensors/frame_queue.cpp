#include "sensors/frame_queue.hpp"

namespace takt::sensors {

void FrameQueue::Ring::put(FrameSlot* slot) {
  const std::uint64_t head = head_.load(std::memory_order_relaxed);
  slots_[head % slots_.size()] = slot;
  head_.store(head + 1, std::memory_order_release);
}

FrameSlot* FrameQueue::Ring::peek() const {
  const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
  return head_.load(std::memory_order_acquire) == tail ? nullptr : slots_[tail % slots_.size()];
}

void FrameQueue::Ring::drop_first() {
  tail_.store(tail_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

FrameQueue::FrameQueue(std::size_t slots, Bytes frame_size)
    : memory_(slots, frame_size), slots_(slots), free_(slots), ready_(slots) {
  for (std::size_t i = 0; i < slots; ++i) {
    slots_[i].bytes = memory_.frame(i);
    free_.put(&slots_[i]);
  }
}

FrameSlot* FrameQueue::acquire() {
  FrameSlot* slot = free_.peek();
  if (slot) free_.drop_first();
  return slot;
}

void FrameQueue::push(FrameSlot* slot) {
  ready_.put(slot);
  high_water_.raise_to(ready_.size());
}

FrameSlot* FrameQueue::front() const {
  return ready_.peek();
}

void FrameQueue::pop() {
  FrameSlot* slot = ready_.peek();
  ready_.drop_first();
  free_.put(slot);
}

}  // namespace takt::sensors
