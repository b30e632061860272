#pragma once
/// Efficient choice of the next (ready task, processor) pair.

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "schedulers/delay/partial_schedule.hpp"
#include "schedulers/delay/ready_pairs.hpp"
#include "schedulers/delay/ready_queue.hpp"

namespace takt::schedulers {

/// The ready tasks on every processor, with starts after all tasks there. A task enters each processor's
/// heaps once: O(P log n) a task, O(ready tasks * P) memory.
template <class WaitingBefore>
class PairSelection {
 public:
  using LevelOnProcessor = std::function<Time(TaskId, ProcessorId)>;

  /// Borrows the partial schedule.
  PairSelection(PartialSchedule& partial, LevelOnProcessor level)
      : partial_(&partial),
        level_(std::move(level)),
        open_(partial.model().graph()),
        placed_(partial.model().graph().task_count(), false),
        pairs_(partial.model().processor_count()) {
    open_.entries([this](TaskId task) { push(task); });
  }

  [[nodiscard]] bool empty() const { return ready_count_ == 0; }

  /// Returns the pair with the least `value(pair, start)`; of equal ones that on the first processor. `value`
  /// must order the pairs of one processor as its heaps do.
  template <class Value>
  std::pair<TaskId, Slot> take_least(Value value) {
    using Result = decltype(value(ReadyPair{}, Time{}));
    std::optional<Result> best_value;
    std::pair<TaskId, Slot> best;
    auto consider = [&](const std::optional<ReadyPair>& pair, ProcessorId p, Time start) {
      if (!pair) return;
      const Result result = value(*pair, start);
      if (best_value && result >= *best_value) return;
      best_value = result;
      best = {pair->task, Slot{p, start}};
    };
    for (ProcessorId p : partial_->model().processors()) {
      ReadyPairs<WaitingBefore>& pairs = pairs_[p.index()];
      const Time ready_time = partial_->ready_time(p);
      pairs.refresh(ready_time, ready_count_, [this](TaskId task) { return placed_[task.index()]; });
      consider(pairs.startable(), p, ready_time);
      if (const auto waiting = pairs.waiting()) consider(waiting, p, waiting->arrival);
    }
    placed_[best.first.index()] = true;
    --ready_count_;
    return best;
  }

  /// Reports that a task has been placed, so that its children may become ready.
  void place(TaskId task) {
    open_.place(task, [this](TaskId child) { push(child); });
  }

 private:
  void push(TaskId task) {
    ++ready_count_;
    const std::span<const Time> arrivals = partial_->arrivals(task);
    for (ProcessorId p : partial_->model().processors())
      pairs_[p.index()].push({task, arrivals[p.index()], level_(task, p)});
  }

  PartialSchedule* partial_;
  LevelOnProcessor level_;
  OpenParents open_;
  std::vector<bool> placed_;
  std::size_t ready_count_ = 0;
  std::vector<ReadyPairs<WaitingBefore>> pairs_;
};

}  // namespace takt::schedulers
