#pragma once
/// Lets the thread that reports a rank's last figures stop the writing thread between two frames.

#include <atomic>
#include <chrono>
#include <cstdint>

#include <unistd.h>

#include "core/system/asymmetric_fence.hpp"
#include "core/system/clock.hpp"
#include "core/units.hpp"

namespace takt::pipeline {

/// Makes writing a frame and counting it one step for the thread that closes the gate. It costs two stores
/// and a load per frame. Once closed, the gate stays closed: the process is about to end.
class WriteGate {
 public:
  /// Guards the writing and counting of one frame. The constructor never returns if the gate is closed.
  class Write {
   public:
    explicit Write(WriteGate& gate) noexcept : gate_(gate) {
      gate_.is_inside_.store(true, std::memory_order_relaxed);
      gate_.fence_.light();
      if (!gate_.is_closed_.load(std::memory_order_relaxed)) [[likely]]
        return;
      gate_.is_inside_.store(false, std::memory_order_relaxed);
      while (true) ::pause();
    }
    Write(const Write&) = delete;
    Write& operator=(const Write&) = delete;
    ~Write() { gate_.is_inside_.store(false, std::memory_order_release); }

   private:
    WriteGate& gate_;
  };

  /// Waits until the current frame is counted, but not for a sink that hangs.
  void close() noexcept {
    constexpr Time patience{std::chrono::milliseconds{500}};
    is_closed_.store(true, std::memory_order_relaxed);
    fence_.heavy();
    const std::int64_t latest = now_ns() + patience.count();
    while (is_inside_.load(std::memory_order_acquire) && now_ns() < latest) ::usleep(100);
  }

 private:
  AsymmetricFence fence_;
  std::atomic<bool> is_inside_{false}, is_closed_{false};
};

}  // namespace takt::pipeline
