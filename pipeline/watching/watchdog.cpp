#include "pipeline/watching/watchdog.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace takt::pipeline {

namespace {

/// Factor on the usual frames of a task that is sometimes slow.
constexpr int patience = 100;

/// Returns `running at frame 7`, `loading`.
std::string phase_text(const Activity& activity) {
  const PhaseTraits& traits = traits_of(activity.phase);
  const bool has_frame =
      traits.has_frames && activity.task != nullptr && activity.deadline == Deadline::frame;
  return has_frame ? fmt::format("{} at frame {}", traits.name, activity.frame) : traits.name;
}

std::string subject(const Activity& activity) {
  return activity.task == nullptr ? "the process" : fmt::format("task '{}'", activity.task);
}

std::string advice(Deadline deadline) {
  return fmt::format("; for a slower task, raise 'deployment: {{{}: ...}}'", key_of(deadline));
}

}  // namespace

void Watchdog::follow(const Look& look) {
  const std::int64_t away = absence_.until(look.now);
  since_ns_ += away;
  if (look.activity.finishing_since_ns != finishing_since_ns_) away_ns_ = 0;
  finishing_since_ns_ = look.activity.finishing_since_ns;
  away_ns_ += away;
  const bool is_same = look.activity.begun == begun_;
  // A task that returned since the last look has worked at least until then.
  if (!task_.empty() && (!is_same || look.activity.task == nullptr)) {
    Time& longest = longest_[task_];
    longest = std::max(longest, Time(seen_ns_ - since_ns_));
    task_.clear();
  }
  if (is_same && look.activity.task != nullptr && task_.empty()) task_ = look.activity.task;
  if (!is_same) {
    begun_ = look.activity.begun;
    since_ns_ = look.now;
  }
  seen_ns_ = look.now;
}

std::optional<std::string> Watchdog::endless_flush(
    const Look& look, const std::function<Task(std::string_view)>& task_of) const {
  const Activity& activity = look.activity;
  if (activity.finishing == nullptr) return std::nullopt;
  const Time elapsed(look.now - activity.finishing_since_ns - away_ns_);
  const auto text = [&](const std::string& reason) {
    return fmt::format("task '{}' does not end its flush: {}, its 'finish' has produced frames for {}{}",
                       activity.finishing, traits_of(activity.phase).name, takt::to_string(elapsed), reason);
  };
  if (deadlines_.end > Time{0} && elapsed > deadlines_.end) return text(advice(Deadline::end));
  if (!look.asked_to_stop) return std::nullopt;
  const Time asked = std::min(elapsed, Time(look.now - *look.asked_to_stop));
  if (asked <= std::max(rest_grace, patience * task_of(activity.finishing).usual)) return std::nullopt;
  return text(" while the run ends");
}

std::optional<std::string> Watchdog::look(const Look& look,
                                          const std::function<Task(std::string_view)>& task_of) {
  follow(look);
  const Activity& activity = look.activity;
  if (activity.phase == Phase::none) return std::nullopt;
  if (look.awaited.by_main_thread) since_ns_ = look.now;
  if (auto endless = endless_flush(look, task_of)) return endless;
  // Between two pieces of work the task's phase has no deadline of its own.
  const Deadline kind = activity.task != nullptr ? activity.deadline : traits_of(activity.phase).deadline;
  const Time deadline = deadlines_.of(kind), elapsed(look.now - since_ns_);
  const bool is_late = deadline > Time{0} && elapsed > deadline;
  const bool is_unwanted = activity.task != nullptr && look.asked_to_stop &&
                           since_ns_ <= *look.asked_to_stop && look.now - *look.asked_to_stop > grace.count();
  if (kind == Deadline::none || (!is_late && !is_unwanted)) return std::nullopt;

  const Task task = activity.task != nullptr ? task_of(activity.task) : Task{};
  // A sink may wait for its own thread, which waits for a reader.
  if (!task.is_kernel && look.awaited.by_any_thread) {
    since_ns_ = look.now;
    return std::nullopt;
  }
  if (is_late && (kind != Deadline::frame || elapsed > patience * task.usual))
    return fmt::format("{} hangs: {} since {}{}{}", subject(activity), phase_text(activity),
                       takt::to_string(elapsed),
                       kind == Deadline::frame && task.usual > Time{0}
                           ? fmt::format("; 99 % of its frames took at most {}", takt::to_string(task.usual))
                           : "",
                       advice(kind));
  const auto longest = longest_.find(std::string_view(activity.task == nullptr ? "" : activity.task));
  const Time known = std::max(task.usual, longest == longest_.end() ? Time{0} : longest->second);
  if (is_unwanted && elapsed > 2 * known)
    return fmt::format("{} did not return at the end of the run: {} since {}", subject(activity),
                       phase_text(activity), takt::to_string(elapsed));
  return std::nullopt;
}

}  // namespace takt::pipeline
