#include "schedulers/exact/exact_packings.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "schedulers/exact/disjunctive_search.hpp"
#include "schedulers/exact/exact_sequences.hpp"

namespace takt::schedulers {

namespace {

using Ticks = Time::rep;
/// Tasks by number, longest first.
using TaskSet = std::uint32_t;
constexpr std::size_t most_packed_tasks = 32;

constexpr TaskSet only(std::size_t task) {
  return TaskSet{1} << task;
}

/// Calls the function for each task of a set, in order, until it returns false; returns whether it never did.
template <class Function>
bool for_all(TaskSet set, Function function) {
  for (; set != 0; set &= set - 1)
    if (!function(static_cast<std::size_t>(std::countr_zero(set)))) return false;
  return true;
}

class PackingSearch {
 public:
  PackingSearch(const Workload& workload, Ticks period, std::uint64_t& budget)
      : workload_(workload),
        graph_(workload.items()),
        period_(period),
        budget_(budget),
        task_of_(graph_.task_count()) {
    std::iota(task_of_.begin(), task_of_.end(), 0U);
    std::ranges::stable_sort(task_of_, std::greater{}, [&](std::uint32_t task) { return length_of(task); });
    number_of_.resize(task_of_.size());
    for (std::uint32_t i = 0; i < task_of_.size(); ++i) {
      number_of_[task_of_[i]] = i;
      lengths_.push_back(length_of(task_of_[i]));
    }
    find_relatives();
    find_latencies();
  }

  PackingAnswer run() {
    const auto count = task_of_.size();
    const TaskSet all = count == most_packed_tasks ? ~TaskSet{0} : only(count) - 1;
    if (std::ranges::any_of(lengths_, [&](Ticks length) { return length > period_; }))
      return {Verdict::no, std::nullopt};
    if (cover(all, std::accumulate(lengths_.begin(), lengths_.end(), Ticks{0})))
      return {Verdict::yes, std::move(found_)};
    return {budget_ > 0 ? Verdict::no : Verdict::unknown, std::nullopt};
  }

 private:
  [[nodiscard]] Ticks length_of(std::uint32_t task) const { return workload_.time(TaskId(task), 0).count(); }

  void find_relatives() {
    const std::size_t count = task_of_.size();
    before_.assign(count, 0);
    after_.assign(count, 0);
    for (EdgeId edge : graph_.edges())
      before_[number_of_[graph_.edge(edge).to.index()]] |= only(number_of_[graph_.edge(edge).from.index()]);
    for (std::size_t via = 0; via < count; ++via)
      for (std::size_t x = 0; x < count; ++x)
        if ((before_[x] & only(via)) != 0) before_[x] |= before_[via];
    for (std::size_t x = 0; x < count; ++x)
      for_all(before_[x], [&](std::size_t earlier) {
        after_[earlier] |= only(x);
        return true;
      });
  }

  void find_latencies() {
    const logp::LinkCosts* links = workload_.machine().processor_count() > 1
                                       ? &workload_.links(ProcessorId(0), ProcessorId(1))
                                       : nullptr;
    for (EdgeId id : graph_.edges()) {
      const Edge edge = graph_.edge(id);
      const Ticks latency = links == nullptr ? 0 : links->latency.at(edge.size).count();
      edges_.push_back({number_of_[edge.from.index()], number_of_[edge.to.index()], latency});
      least_latency_ = id.index() == 0 ? latency : std::min(least_latency_, latency);
    }
  }

  /// Whether the remaining tasks, of this total work, can be covered in addition to the chosen sets; `found_`
  /// is then a schedule.
  bool cover(TaskSet rest, Ticks work) {
    if (rest == 0) return schedule_sets();
    const std::size_t unused = workload_.machine().processor_count() - sets_.size();
    if (unused == 0) return false;
    const auto seed = static_cast<std::size_t>(std::countr_zero(rest));
    // The work that does not fit on the other processors.
    const auto others = static_cast<Ticks>(unused - 1);
    const bool is_beyond = others > 0 && period_ > std::numeric_limits<Ticks>::max() / others;
    const Ticks least = is_beyond ? 0 : work - others * period_;
    Filling filling;
    return add(filling, seed, rest & ~only(seed), least) &&
           fill(filling, rest & ~only(seed), work - lengths_[seed], least, rest, work);
  }

  /// A set of tasks, their work, all ancestors of any of them, and all descendants of any of them.
  struct Filling {
    TaskSet set = 0;
    Ticks work = 0;
    TaskSet before = 0, after = 0;
  };

  /// Fills the set with some of the tasks of `open`, of total work `left`.
  bool fill(const Filling& filling, TaskSet open, Ticks left, Ticks least, TaskSet rest, Ticks work) {
    if (budget_ == 0 || filling.work + left < least) return false;
    --budget_;
    if (open == 0) return choose(filling, rest, work);
    const auto task = static_cast<std::size_t>(std::countr_zero(open));
    open &= open - 1;
    left -= lengths_[task];
    if (filling.work + lengths_[task] <= period_) {
      Filling with_task = filling;
      if (add(with_task, task, open, least) && fill(with_task, open, left, least, rest, work)) return true;
    }
    return !is_too_late(filling, task, open, least) && fill(filling, open, left, least, rest, work);
  }

  /// Adds a task; returns whether the processor can still finish within a period. All tasks are elsewhere
  /// except the set's and those of `open`.
  [[nodiscard]] bool add(Filling& filling, std::size_t task, TaskSet open, Ticks least) const {
    filling.set |= only(task);
    filling.work += lengths_[task];
    filling.before |= before_[task];
    filling.after |= after_[task];
    return for_all(filling.before & filling.after & ~filling.set & ~open,
                   [&](std::size_t other) { return !is_too_late(filling, other, open, least); });
  }

  /// Whether a task elsewhere makes the processor wait for too long: the time of its ancestors, its own with
  /// two transfers, and that of its descendants. In the end the ancestors and descendants include the work
  /// that the set must have and that is not independent of the task.
  [[nodiscard]] bool is_too_late(const Filling& filling, std::size_t task, TaskSet open, Ticks least) const {
    if ((filling.before & filling.after & only(task)) == 0) return false;
    const TaskSet related = before_[task] | after_[task];
    const Ticks around =
        std::max(work_of(filling.set & related), least - work_of((filling.set | open) & ~related));
    return around + least_latency_ + lengths_[task] + least_latency_ > period_;
  }

  [[nodiscard]] Ticks work_of(TaskSet set) const {
    Ticks work = 0;
    for (; set != 0; set &= set - 1) work += lengths_[static_cast<std::size_t>(std::countr_zero(set))];
    return work;
  }

  bool choose(const Filling& filling, TaskSet rest, Ticks work) {
    sets_.push_back(filling.set);
    if ((!waits_in_turn(filling.set) || find_orders()) && cover(rest & ~filling.set, work - filling.work))
      return true;
    sets_.pop_back();
    return false;
  }

  /// Whether anything outside of the set comes after some of its tasks and before others, directly or because
  /// processors do more than one task.
  [[nodiscard]] bool waits_in_turn(TaskSet set) const {
    TaskSet reached = later_than(set) & ~set;
    for (bool has_grown = true; has_grown;) {
      has_grown = false;
      for (const TaskSet other : sets_)
        if (other != set && (other & reached) != 0 && (other & ~reached) != 0) {
          reached |= other | (later_than(other) & ~set);
          has_grown = true;
        }
    }
    return (later_than(reached) & set) != 0;
  }

  [[nodiscard]] TaskSet later_than(TaskSet set) const {
    TaskSet later = 0;
    for_all(set, [&](std::size_t task) {
      later |= after_[task];
      return true;
    });
    return later;
  }

  /// Finds starts of all tasks, as if each unassigned task had a processor of its own.
  [[nodiscard]] std::optional<std::vector<Ticks>> find_orders() {
    std::vector<std::uint32_t> processor(task_of_.size());
    std::iota(processor.begin(), processor.end(), static_cast<std::uint32_t>(sets_.size()));
    TaskSet placed = 0;
    for (std::uint32_t i = 0; i < sets_.size(); ++i) {
      placed |= sets_[i];
      for_all(sets_[i], [&](std::size_t task) {
        processor[task] = i;
        return true;
      });
    }
    std::vector<DisjunctiveOperation> operations;
    for (std::size_t i = 0; i < task_of_.size(); ++i)
      operations.push_back({OperationKind::compute, processor[i], lengths_[i], lengths_[i]});
    std::vector<Precedence> precedences;
    for (const auto& [from, to, latency] : edges_) {
      // Two unassigned tasks may still share a processor.
      const bool is_message = processor[from] != processor[to] && ((only(from) | only(to)) & placed) != 0;
      precedences.push_back({from, to, lengths_[from] + (is_message ? latency : 0)});
    }
    return find_starts(operations, precedences, period_, budget_);
  }

  bool schedule_sets() {
    const auto starts = find_orders();
    if (!starts) return false;
    found_.emplace().order.resize(workload_.machine().processor_count());
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      std::vector<std::uint32_t> tasks;
      for_all(sets_[i], [&](std::size_t task) {
        tasks.push_back(static_cast<std::uint32_t>(task));
        return true;
      });
      // Tasks of length 0 start together with others.
      std::ranges::sort(tasks, std::less{}, [&](std::uint32_t task) {
        return std::tuple((*starts)[task], (*starts)[task] + lengths_[task], std::popcount(before_[task]));
      });
      for (const std::uint32_t task : tasks) found_->order[i].push_back(TaskId(task_of_[task]));
    }
    return true;
  }

  struct Arc {
    std::uint32_t from, to;
    Ticks latency;
  };

  const Workload& workload_;
  const TaskGraph& graph_;
  Ticks period_;
  std::uint64_t& budget_;
  /// Per number the task, and per task the number.
  std::vector<std::uint32_t> task_of_, number_of_;
  std::vector<Ticks> lengths_;
  /// Ancestors and descendants of each task.
  std::vector<TaskSet> before_, after_;
  std::vector<Arc> edges_;
  Ticks least_latency_ = 0;
  /// The tasks of the first processors.
  std::vector<TaskSet> sets_;
  std::optional<logp::Allocation> found_;
};

}  // namespace

bool can_search_packings(const Workload& workload) {
  return workload.item_count() <= most_packed_tasks && workload.is_uniform() &&
         can_search_sequences(workload);
}

PackingAnswer find_packing(const Workload& workload, Time period, std::uint64_t& budget) {
  return PackingSearch(workload, period.count(), budget).run();
}

}  // namespace takt::schedulers
