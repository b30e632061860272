#pragma once
/// How far the writer and the reader of a ring of messages are, in memory that they share.

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace takt::pipeline {

/// Two cursors: how many messages are published, how many are released. Nothing locks or allocates; a system
/// call is made only to sleep, and to wake somebody who sleeps.
///
/// Each cursor is written by one side, in a cache line of its own. Whoever sleeps says so in a line that is
/// written at no other time: the other side reads it after it has moved its cursor, with a full fence
/// between, so that either the sleeper sees the cursor, or the other side sees the sleeper (Dekker).
class Ring {
 public:
  [[nodiscard]] std::uint64_t published() const { return published_.load(std::memory_order_acquire); }
  [[nodiscard]] std::uint64_t released() const { return released_.load(std::memory_order_acquire); }

  /// The writer's.
  void publish(std::uint64_t count) { move(published_, count, reader_); }
  /// The reader's.
  void release(std::uint64_t count) { move(released_, count, writer_); }

  /// The reader sleeps until so many are published, or until this moment (now_ns), or for no reason.
  void sleep_until_published(std::uint64_t count, std::int64_t latest_ns) {
    sleep(published_, count, reader_, latest_ns);
  }
  /// The writer sleeps until so many are released, or until this moment, or for no reason.
  void sleep_until_released(std::uint64_t count, std::int64_t latest_ns) {
    sleep(released_, count, writer_, latest_ns);
  }

 private:
  using Cursor = std::atomic<std::uint64_t>;
  struct Sleeper {
    /// A futex: 1 while its owner sleeps.
    std::atomic<std::uint32_t> sleeps{0};
    /// For this count.
    std::atomic<std::uint64_t> wanted{0};
  };

  static void move(Cursor& cursor, std::uint64_t count, Sleeper& other) {
    cursor.store(count, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (other.sleeps.load(std::memory_order_relaxed) != 0) wake(other, count);
  }
  static void wake(Sleeper& sleeper, std::uint64_t count);
  static void sleep(const Cursor& cursor, std::uint64_t count, Sleeper& self, std::int64_t latest_ns);

  alignas(64) Cursor published_{0};
  alignas(64) Cursor released_{0};
  alignas(64) Sleeper reader_;
  Sleeper writer_;
};

/// Anonymous memory begins as zeros, and so must a ring.
static_assert(sizeof(Ring) == 192 && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace takt::pipeline
