#include "pipeline/watching/activity.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

namespace takt::pipeline {

namespace {

std::atomic<Phase> phase_now = Phase::none;
std::atomic<bool> is_phase_kept = false;
std::atomic<const char*> finishing = nullptr;
std::atomic<std::int64_t> finishing_since_ns = 0;

/// In the order of the enumerators.
constexpr std::array<PhaseTraits, 19> phases{{
    {Phase::none, "", Deadline::none},
    {Phase::loading, "loading", Deadline::set_up},
    {Phase::checking, "checking", Deadline::set_up},
    {Phase::starting_mpi, "starting MPI", Deadline::set_up},
    {Phase::measuring_links, "measuring the links", Deadline::set_up},
    {Phase::measuring, "measuring", Deadline::none},
    {Phase::waiting_for_costs, "waiting for other ranks to measure the tasks", Deadline::none},
    {Phase::planning, "planning", Deadline::none},
    {Phase::waiting_for_plan, "waiting for rank 0 to measure the tasks and to plan", Deadline::none},
    {Phase::trial, "in a trial run", Deadline::none, true},
    {Phase::setting_up, "setting up", Deadline::none},
    {Phase::waiting_for_set_up, "waiting for the other ranks to be set up", Deadline::none},
    {Phase::starting_sources, "starting the source", Deadline::none},
    {Phase::running, "running", Deadline::none, true},
    {Phase::draining, "draining", Deadline::none, true},
    {Phase::waiting_for_end, "waiting for the other ranks to end", Deadline::none},
    {Phase::changing_over, "changing over", Deadline::none},
    {Phase::closing, "closing", Deadline::none},
    {Phase::ending, "ending", Deadline::none},
}};

constexpr bool are_in_order() {
  for (std::size_t i = 0; i < phases.size(); ++i)
    if (static_cast<std::size_t>(phases[i].phase) != i) return false;
  return static_cast<std::size_t>(Phase::ending) + 1 == phases.size();
}
static_assert(are_in_order());

}  // namespace

const PhaseTraits& traits_of(Phase phase) noexcept {
  return phases[std::min(static_cast<std::size_t>(phase), phases.size() - 1)];
}

Phase find_phase(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(phases, name, &PhaseTraits::name);
  return found == phases.end() ? Phase::none : found->phase;
}

void set_phase(Phase phase) noexcept {
  if (!is_phase_kept.load(std::memory_order_relaxed)) phase_now.store(phase, std::memory_order_relaxed);
  begin_work();
}

WholePhase::WholePhase(Phase phase) noexcept {
  set_phase(phase);
  is_phase_kept.store(true, std::memory_order_relaxed);
}

WholePhase::~WholePhase() {
  is_phase_kept.store(false, std::memory_order_relaxed);
}

Activity current_activity() noexcept {
  return {.phase = phase_now.load(std::memory_order_relaxed),
          .task = activity::task.load(std::memory_order_relaxed),
          .deadline = activity::deadline.load(std::memory_order_relaxed),
          .is_waiting = activity::is_waiting.load(std::memory_order_relaxed),
          .frame = activity::frame.load(std::memory_order_relaxed),
          .begun = activity::begun.load(std::memory_order_relaxed),
          .finishing = finishing.load(std::memory_order_acquire),
          .finishing_since_ns = finishing_since_ns.load(std::memory_order_relaxed)};
}

std::string activity_text(const Activity& activity) {
  const bool has_task = activity.task != nullptr && !activity.is_waiting;
  return activity_text(activity.phase, has_task ? activity.task : "");
}

std::string activity_text(Phase phase, const std::string& task) {
  const char* const name = traits_of(phase).name;
  return task.empty() || phase == Phase::none ? name : fmt::format("{} task '{}'", name, task);
}

void begin_finishing(const std::string& task, std::int64_t since_ns) noexcept {
  if (finishing.load(std::memory_order_relaxed) != nullptr) return;
  finishing_since_ns.store(since_ns, std::memory_order_relaxed);
  finishing.store(task.c_str(), std::memory_order_release);
}

void end_finishing(const std::string& task) noexcept {
  if (finishing.load(std::memory_order_relaxed) == task.c_str())
    finishing.store(nullptr, std::memory_order_relaxed);
}

}  // namespace takt::pipeline
