#pragma once
/// The ready tasks of one processor, for schedulers that choose a task and a processor together.

#include <algorithm>
#include <optional>
#include <vector>

#include "core/graphs/task_graph.hpp"

namespace takt::schedulers {

/// A ready task on a processor: the arrival of its data, and its urgency there.
struct ReadyPair {
  TaskId task;
  Time arrival{0};
  Time level{0};
};

/// Two heaps. Pairs whose data arrives before the processor is ready all start when it is ready, so only
/// their levels matter. The other pairs wait for their data and are ordered by `WaitingBefore(a, b)`. As the
/// processor's ready time only grows, every pair moves from waiting to startable at most once. The waiting
/// order must put a startable pair no later than its position if it had just arrived; ordering by arrival, or
/// by level - arrival, does. Pairs whose task runs elsewhere are dropped when they come up. O(log n) a pair,
/// O(ready tasks) memory.
template <class WaitingBefore>
class ReadyPairs {
 public:
  void push(ReadyPair pair) { push(waiting_, pair, after_in_waiting); }

  /// Updates both heaps: `gone(task)` returns whether a task has been placed, `ready_count` bounds the number
  /// of waiting tasks.
  template <class Gone>
  void refresh(Time ready_time, std::size_t ready_count, Gone gone) {
    drop(startable_, after_in_startable, ready_count, gone);
    drop(waiting_, after_in_waiting, ready_count, gone);
    while (!waiting_.empty() && (gone(waiting_.front().task) || waiting_.front().arrival <= ready_time)) {
      const ReadyPair pair = pop(waiting_, after_in_waiting);
      if (!gone(pair.task)) push(startable_, pair, after_in_startable);
    }
    while (!startable_.empty() && gone(startable_.front().task)) pop(startable_, after_in_startable);
  }

  /// After refresh(): returns the first waiting pair; startable(): the most urgent one that can start when
  /// the processor is ready.
  [[nodiscard]] std::optional<ReadyPair> waiting() const { return front(waiting_); }
  [[nodiscard]] std::optional<ReadyPair> startable() const { return front(startable_); }

 private:
  using Heap = std::vector<ReadyPair>;

  static bool after_in_waiting(const ReadyPair& a, const ReadyPair& b) { return WaitingBefore{}(b, a); }
  static bool after_in_startable(const ReadyPair& a, const ReadyPair& b) {
    return a.level != b.level ? a.level < b.level : a.task > b.task;
  }

  template <class After>
  static void push(Heap& heap, ReadyPair pair, After after) {
    heap.push_back(pair);
    std::push_heap(heap.begin(), heap.end(), after);
  }
  template <class After>
  static ReadyPair pop(Heap& heap, After after) {
    std::pop_heap(heap.begin(), heap.end(), after);
    const ReadyPair pair = heap.back();
    heap.pop_back();
    return pair;
  }
  static std::optional<ReadyPair> front(const Heap& heap) {
    return heap.empty() ? std::nullopt : std::optional(heap.front());
  }
  /// Rebuilds a heap that holds more placed tasks than ready ones.
  template <class After, class Gone>
  static void drop(Heap& heap, After after, std::size_t ready_count, Gone gone) {
    constexpr std::size_t worth_the_while = 64;
    if (heap.size() < 2 * ready_count + worth_the_while) return;
    std::erase_if(heap, [&](const ReadyPair& pair) { return gone(pair.task); });
    std::make_heap(heap.begin(), heap.end(), after);
  }

  Heap waiting_, startable_;
};

}  // namespace takt::schedulers
