#pragma once
/// Frames on their way from the thread that receives them to the thread that processes them.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sensors/frames/counter.hpp"
#include "sensors/frames/frame.hpp"
#include "sensors/frames/frame_memory.hpp"

namespace takt::sensors {

/// What happens to a new frame when the pipeline does not keep up.
enum class WhenFull : std::uint8_t {
  /// The new frame is thrown away and counted; those that wait stay.
  drop,
  /// Receiving stops until there is room; what the kernel then throws away is counted as lost.
  block,
};

/// A frame in memory that is allocated once and used again and again. `bytes` is aligned to 64.
struct FrameSlot {
  FrameHeader header;
  std::span<std::byte> bytes;
};

/// A bounded queue and its pool of slots, for one producer and one consumer thread. Nothing locks or
/// allocates after construction. A slot goes round: acquire -> (fill) -> push -> front -> take -> pop ->
/// acquire. Memory is used last in, first out: while the consumer keeps up, few slots are in use, however
/// many there are, and they stay in the cache.
///
/// Slots travel through two rings, `free_` from consumer to producer and `ready_` from producer to consumer.
/// Each ring holds all slots, so that neither can overflow; each index is written by one thread only.
class FrameQueue {
 public:
  FrameQueue(std::size_t slots, Bytes frame_size) : FrameQueue(slots, FrameMemory(slots, frame_size)) {}
  FrameQueue(std::size_t slots, FrameMemory memory);

  /// Producer: a slot to fill, or null when none is free. Its content is what was last in it. Of several the
  /// one that was given back last: it is the likeliest to lie in the cache still.
  [[nodiscard]] FrameSlot* acquire();
  /// Producer: gives an acquired slot back that is not needed after all.
  void give_back(FrameSlot* slot) { idle_.push_back(slot); }
  /// Producer: hands a filled slot over.
  void push(FrameSlot* slot);
  /// Of each slot.
  [[nodiscard]] std::size_t frame_bytes() const { return memory_.frame_bytes(); }
  /// Producer: how many slots `acquire` would give at least.
  [[nodiscard]] std::size_t free_slots() const { return idle_.size() + free_.size(); }

  /// Consumer: the oldest slot handed over that was not taken, or null.
  [[nodiscard]] FrameSlot* front() const { return ready_.peek(taken_); }
  /// Consumer: takes that slot.
  void take() { ++taken_; }
  /// Consumer: gives the oldest slot back that was taken.
  void pop();
  /// Consumer: waits until a slot is handed over, or somebody calls `wake`, or until this moment (now_ns).
  void wait(std::int64_t latest_ns);
  /// Ends a wait. Any thread.
  void wake();

  /// Frames handed over and not given back. Any thread.
  [[nodiscard]] std::size_t waiting() const { return ready_.size(); }
  /// The largest number of frames that ever waited. Any thread.
  [[nodiscard]] std::uint64_t high_water() const { return high_water_.value(); }

 private:
  /// A ring of slots with one writer and one reader thread.
  class Ring {
   public:
    explicit Ring(std::size_t capacity) : slots_(capacity) {}
    [[nodiscard]] std::size_t size() const {
      // The tail first: the head may move on meanwhile, never the other way round.
      const std::uint64_t tail = tail_.load(std::memory_order_acquire);
      return static_cast<std::size_t>(head_.load(std::memory_order_acquire) - tail);
    }
    void put(FrameSlot* slot);
    /// So many behind the first one, or null.
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
  /// The producer's own: free slots that it has fetched.
  std::vector<FrameSlot*> idle_;
  /// The consumer's own: slots of `ready_` that it has taken.
  std::size_t taken_ = 0;
  Tally high_water_;
  /// Whether the consumer sleeps; a futex.
  alignas(64) std::atomic<std::uint32_t> sleeping_{0};
};

}  // namespace takt::sensors
