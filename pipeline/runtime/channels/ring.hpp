#pragma once
/// Positions of the writer and the reader of a ring of messages, in shared memory.

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace takt::pipeline {

/// Two cursors count the published and the released messages. Operations neither lock nor allocate; they
/// enter the system only to sleep and to wake a sleeper.
///
/// Each cursor has one writing side and a cache line of its own. A side announces its sleep in a line that is
/// written at no other time. The other side moves its cursor, executes a full fence, and then reads that
/// line. So either the sleeper sees the new cursor, or the other side sees the sleeper (Dekker).
class Ring {
 public:
  [[nodiscard]] std::uint64_t published() const { return published_.load(std::memory_order_acquire); }
  [[nodiscard]] std::uint64_t released() const { return released_.load(std::memory_order_acquire); }

  /// Called by the writer.
  void publish(std::uint64_t count) { move(published_, count, reader_); }
  /// Called by the reader.
  void release(std::uint64_t count) { move(released_, count, writer_); }

  /// Blocks the reader until `count` messages are published, or until `latest_ns` (now_ns); may return early.
  void sleep_until_published(std::uint64_t count, std::int64_t latest_ns) {
    sleep(published_, count, reader_, latest_ns);
  }
  /// Blocks the writer until `count` messages are released, or until `latest_ns`; may return early.
  void sleep_until_released(std::uint64_t count, std::int64_t latest_ns) {
    sleep(released_, count, writer_, latest_ns);
  }

 private:
  using Cursor = std::atomic<std::uint64_t>;
  struct Sleeper {
    /// Futex: 1 while its owner sleeps.
    std::atomic<std::uint32_t> sleeps{0};
    /// Count for which the owner waits.
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

/// A ring of zeroed anonymous memory is valid.
static_assert(sizeof(Ring) == 192 && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace takt::pipeline
