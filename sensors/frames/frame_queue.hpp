#pragma once
/// A queue of frames from the receiving thread to the processing thread.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sensors/frames/counter.hpp"
#include "sensors/frames/frame.hpp"
#include "sensors/frames/frame_memory.hpp"

namespace takt::sensors {

/// The action for a new frame when the pipeline does not keep up.
enum class WhenFull : std::uint8_t {
  /// The new frame is discarded and counted; waiting frames stay.
  drop,
  /// Reception pauses until there is space; data then dropped by the kernel count as lost.
  block,
};

/// A frame in memory that is allocated once and reused. `bytes` is aligned to 64.
struct FrameSlot {
  FrameHeader header;
  std::span<std::byte> bytes;
};

/// A bounded queue and its pool of slots, for one producer and one consumer thread. It neither locks nor
/// allocates after construction. A slot cycles: acquire -> (fill) -> push -> front -> take -> pop -> acquire.
/// Slots are reused last in, first out: while the consumer keeps up, few slots of any number are in use, and
/// they stay in the cache.
///
/// Slots travel through two rings, `free_` from consumer to producer and `ready_` from producer to consumer.
/// Each ring can hold all slots, so that neither can overflow; each index is written by one thread only.
class FrameQueue {
 public:
  FrameQueue(std::size_t slots, Bytes frame_size) : FrameQueue(slots, FrameMemory(slots, frame_size)) {}
  FrameQueue(std::size_t slots, FrameMemory memory);

  /// Producer: returns a slot to fill, or null if none is free. The slot keeps its former content. The latest
  /// released slot is preferred: it is the most likely one in the cache.
  [[nodiscard]] FrameSlot* acquire();
  /// Producer: returns an acquired slot unused.
  void give_back(FrameSlot* slot) { idle_.push_back(slot); }
  /// Producer: hands over a filled slot.
  void push(FrameSlot* slot);
  /// Returns the size of each slot.
  [[nodiscard]] std::size_t frame_bytes() const { return memory_.frame_bytes(); }
  /// Producer: returns a lower bound of the slots that `acquire` can return.
  [[nodiscard]] std::size_t free_slots() const { return idle_.size() + free_.size(); }

  /// Consumer: returns the oldest slot not yet taken, or null.
  [[nodiscard]] FrameSlot* front() const { return ready_.peek(taken_); }
  /// Consumer: takes that slot.
  void take() { ++taken_; }
  /// Consumer: releases the oldest slot taken.
  void pop();
  /// Consumer: waits for a slot, a call of `wake`, or this time (now_ns).
  void wait(std::int64_t latest_ns);
  /// Ends a wait. Thread-safe.
  void wake();

  /// Returns the frames handed over and not released. Thread-safe.
  [[nodiscard]] std::size_t waiting() const { return ready_.size(); }
  /// Returns the largest number of frames that ever waited. Thread-safe.
  [[nodiscard]] std::uint64_t high_water() const { return high_water_.value(); }

 private:
  /// A ring of slots with one writer and one reader thread.
  class Ring {
   public:
    explicit Ring(std::size_t capacity) : slots_(capacity) {}
    [[nodiscard]] std::size_t size() const {
      // Reads the tail first: the head may advance meanwhile, never the reverse.
      const std::uint64_t tail = tail_.load(std::memory_order_acquire);
      return static_cast<std::size_t>(head_.load(std::memory_order_acquire) - tail);
    }
    void put(FrameSlot* slot);
    /// Returns the slot this many after the first one, or null.
    [[nodiscard]] FrameSlot* peek(std::size_t ahead = 0) const;
    void drop_first();

   private:
    std::vector<FrameSlot*> slots_;
    alignas(64) std::atomic<std::uint64_t> head_{0};
    alignas(64) std::atomic<std::uint64_t> tail_{0};
  };

  FrameMemory memory_;
  std::vector<FrameSlot> slots_;
  Ring free_;
  Ring ready_;
  /// Owned by the producer: fetched free slots.
  std::vector<FrameSlot*> idle_;
  /// Owned by the consumer: number of slots taken from `ready_`.
  std::size_t taken_ = 0;
  Tally high_water_;
  /// Whether the consumer sleeps; a futex.
  alignas(64) std::atomic<std::uint32_t> sleeping_{0};
};

}  // namespace takt::sensors
