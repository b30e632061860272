#include "pipeline/activity.hpp"

#include <atomic>

#include <fmt/format.h>

#include "core/clock.hpp"

namespace takt::pipeline {

namespace {

std::atomic<const char*> phase_now = nullptr;
std::atomic<bool> is_phase_kept = false;
std::atomic<const char*> task_now = nullptr;
std::atomic<std::uint64_t> frame_now = 0, begun_until_now = 0;
/// 0 for never.
std::atomic<std::int64_t> stop_asked_ns = 0;
static_assert(std::atomic<const char*>::is_always_lock_free, "signal handlers read it");

}  // namespace

void set_phase(const char* phase) noexcept {
  if (!is_phase_kept.load(std::memory_order_relaxed)) phase_now.store(phase, std::memory_order_relaxed);
}

WholePhase::WholePhase(const char* phase) noexcept {
  set_phase(phase);
  is_phase_kept.store(true, std::memory_order_relaxed);
}

WholePhase::~WholePhase() {
  is_phase_kept.store(false, std::memory_order_relaxed);
}

Activity current_activity() noexcept {
  return {phase_now.load(std::memory_order_relaxed), task_now.load(std::memory_order_relaxed),
          frame_now.load(std::memory_order_relaxed), begun_until_now.load(std::memory_order_relaxed)};
}

std::string to_string(const Activity& activity) {
  if (activity.phase == nullptr) return {};
  if (activity.task == nullptr) return activity.phase;
  return fmt::format("{} task '{}'", activity.phase, activity.task);
}

void ask_to_stop() noexcept {
  std::int64_t never = 0;
  (void)stop_asked_ns.compare_exchange_strong(never, now_ns(), std::memory_order_relaxed);
}

std::optional<std::int64_t> asked_to_stop_at() noexcept {
  const std::int64_t at = stop_asked_ns.load(std::memory_order_relaxed);
  return at == 0 ? std::nullopt : std::optional(at);
}

void begin_work() noexcept {
  // One thread works.
  begun_until_now.store(begun_until_now.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

AtWork::AtWork(const std::string& task, std::uint64_t frame) noexcept {
  begin_work();
  frame_now.store(frame, std::memory_order_relaxed);
  task_now.store(task.c_str(), std::memory_order_relaxed);
}

AtWork::~AtWork() {
  task_now.store(nullptr, std::memory_order_relaxed);
}

}  // namespace takt::pipeline
