#include "core/system/stop_request.hpp"

#include <atomic>

#include "core/system/clock.hpp"

namespace takt {

namespace {

/// 0 for never.
std::atomic<std::int64_t> stop_asked_ns = 0;

}  // namespace

void ask_to_stop() noexcept {
  std::int64_t never = 0;
  (void)stop_asked_ns.compare_exchange_strong(never, now_ns(), std::memory_order_relaxed);
}

std::optional<std::int64_t> asked_to_stop_at() noexcept {
  const std::int64_t at = stop_asked_ns.load(std::memory_order_relaxed);
  return at == 0 ? std::nullopt : std::optional(at);
}

}  // namespace takt
