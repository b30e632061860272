#include "schedulers/list/ish.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "schedulers/delay/partial_schedule.hpp"
#include "schedulers/delay/ready_queue.hpp"

namespace takt::schedulers {

namespace {

/// Bounds of a ready task over all processors.
struct ReadyTask {
  /// Least possible end.
  Time earliest_end = Time::max();
  /// Latest arrival of its data on any processor.
  Time latest_arrival = Time::min();
};

/// The ready tasks by rank, in a tree of bounds, to find the next candidate for a hole without a linear
/// search.
class ReadyTree {
 public:
  explicit ReadyTree(std::size_t count)
      : leaves_(std::bit_ceil(std::max<std::size_t>(count, 1))), nodes_(2 * leaves_) {}

  void insert(std::size_t rank, const ReadyTask& task) { set(rank, task); }
  void erase(std::size_t rank) { set(rank, {}); }

  /// Returns the first ready rank, not below `first`, whose task may end by `until` and whose data may arrive
  /// as late as `not_before`.
  [[nodiscard]] std::optional<std::size_t> find(std::size_t first, Time until, Time not_before) const {
    return find(1, 0, leaves_, first, until, not_before);
  }
  /// Returns the first ready rank.
  [[nodiscard]] std::optional<std::size_t> front() const {
    // No task that is not ready ends before the end of time.
    return find(0, Time::max() - Time{1}, Time::min());
  }

 private:
  void set(std::size_t rank, const ReadyTask& task) {
    std::size_t node = leaves_ + rank;
    nodes_[node] = task;
    while (node /= 2) {
      const ReadyTask &left = nodes_[2 * node], &right = nodes_[2 * node + 1];
      nodes_[node] = {std::min(left.earliest_end, right.earliest_end),
                      std::max(left.latest_arrival, right.latest_arrival)};
    }
  }

  [[nodiscard]] std::optional<std::size_t> find(std::size_t node, std::size_t begin, std::size_t end,
                                                std::size_t first, Time until, Time not_before) const {
    if (end <= first || nodes_[node].earliest_end > until || nodes_[node].latest_arrival < not_before)
      return std::nullopt;
    if (end - begin == 1) return begin;
    const std::size_t middle = (begin + end) / 2;
    if (const auto found = find(2 * node, begin, middle, first, until, not_before)) return found;
    return find(2 * node + 1, middle, end, first, until, not_before);
  }

  std::size_t leaves_;
  std::vector<ReadyTask> nodes_;
};

class Ish {
 public:
  Ish(const DelayModel& model, Trace* trace)
      : model_(model),
        level_(static_levels(model)),
        order_(by_falling(model.graph(), level_)),
        rank_of_(order_.size()),
        open_(model.graph()),
        ready_(order_.size()),
        partial_(model, trace) {
    for (std::size_t rank = 0; rank < order_.size(); ++rank) rank_of_[order_[rank].index()] = rank;
    open_.entries([this](TaskId task) { make_ready(task); });
  }

  Timetable run() && {
    while (const auto rank = ready_.front()) {
      const TaskId task = order_[*rank];
      const Slot slot = earliest_append(partial_, task);
      const Time hole = partial_.ready_time(slot.processor);
      place(task, slot, "static level");
      if (hole < slot.start) fill(slot.processor, hole, slot.start);
    }
    return std::move(partial_).take();
  }

 private:
  void make_ready(TaskId task) {
    first_new_ = std::min(first_new_, rank_of_[task.index()]);
    const std::span<const Time> arrivals = partial_.arrivals(task);
    ReadyTask bounds;
    for (ProcessorId p : model_.processors()) {
      bounds.earliest_end = std::min(bounds.earliest_end, arrivals[p.index()] + model_.duration(task, p));
      bounds.latest_arrival = std::max(bounds.latest_arrival, arrivals[p.index()]);
    }
    ready_.insert(rank_of_[task.index()], bounds);
  }

  void place(TaskId task, Slot slot, const char* why) {
    ready_.erase(rank_of_[task.index()]);
    partial_.place(task, slot, [&] { return fmt::format("{} {}", why, level_[task.index()].count()); });
    open_.place(task, [this](TaskId child) { make_ready(child); });
  }

  /// Puts ready tasks into the idle interval [from, until) of a processor, in one pass over the list: a task
  /// that does not fit does not fit later either. The pass only goes back if an inserted task of no work
  /// makes a child of lower rank ready.
  void fill(ProcessorId processor, Time from, Time until) {
    std::size_t next = 0;
    while (from < until) {
      // If another processor is ready before `from`, a task starts there earlier unless its data arrives
      // later.
      const Time others = earliest_ready_time_but(processor);
      const auto rank = ready_.find(next, until, others < from ? from : Time::min());
      if (!rank) return;
      next = *rank + 1;
      const TaskId task = order_[*rank];
      const Time start = std::max(from, partial_.arrival(task, processor));
      const Time end = start + model_.duration(task, processor);
      if (end > until || (others < start && starts_earlier_elsewhere(task, processor, start))) continue;
      partial_.consider({processor, start});
      first_new_ = order_.size();
      place(task, {processor, start}, "fits the hole, static level");
      next = std::min(next, first_new_);
      from = end;
    }
  }

  [[nodiscard]] Time earliest_ready_time_but(ProcessorId processor) const {
    Time earliest = Time::max();
    for (ProcessorId p : model_.processors())
      if (p != processor) earliest = std::min(earliest, partial_.ready_time(p));
    return earliest;
  }

  bool starts_earlier_elsewhere(TaskId task, ProcessorId processor, Time start) {
    const std::span<const Time> arrivals = partial_.arrivals(task);
    for (ProcessorId p : model_.processors())
      if (p != processor && std::max(arrivals[p.index()], partial_.ready_time(p)) < start) return true;
    return false;
  }

  const DelayModel& model_;
  std::vector<Time> level_;
  std::vector<TaskId> order_;
  std::vector<std::size_t> rank_of_;
  /// Lowest rank that has become ready since this was reset to the number of ranks.
  std::size_t first_new_ = 0;
  OpenParents open_;
  ReadyTree ready_;
  PartialSchedule partial_;
};

}  // namespace

Timetable ish(const DelayModel& model, const Options& options) {
  return Ish(model, options.trace).run();
}

Schedule ish(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  Timetable decided = ish(DelayModel(graph, machine), options);
  return timed("ish", graph, machine, std::move(decided));
}

}  // namespace takt::schedulers
