#include "pipeline/activity.hpp"

#include <fmt/format.h>

#include "core/clock.hpp"

namespace takt::pipeline {

namespace {

std::atomic<const char*> phase_now = nullptr;
std::atomic<bool> is_phase_kept = false;
/// 0 for never.
std::atomic<std::int64_t> stop_asked_ns = 0;

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
  return {phase_now.load(std::memory_order_relaxed), activity::task.load(std::memory_order_relaxed),
          activity::frame.load(std::memory_order_relaxed), activity::begun.load(std::memory_order_relaxed)};
}

std::string to_string(const Activity& activity) {
  if (activity.phase == nullptr) return {};
  if (activity.task == nullptr) return activity.phase;
  return fmt::format("{} task '{}'", activity.phase, activity.task);
}

std::string hang_text(const Activity& activity, Time elapsed, const std::string& where,
                      const std::string& beside) {
  return fmt::format(
      "task '{}' hangs: {}{} since {}{}; a task that needs longer wants a longer 'deployment: {{deadline: "
      "...}}'",
      activity.task, activity.phase, where, takt::to_string(elapsed), beside);
}

void ask_to_stop() noexcept {
  std::int64_t never = 0;
  (void)stop_asked_ns.compare_exchange_strong(never, now_ns(), std::memory_order_relaxed);
}

std::optional<std::int64_t> asked_to_stop_at() noexcept {
  const std::int64_t at = stop_asked_ns.load(std::memory_order_relaxed);
  return at == 0 ? std::nullopt : std::optional(at);
}

}  // namespace takt::pipeline
