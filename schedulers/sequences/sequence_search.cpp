#include "schedulers/sequences/sequence_search.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "schedulers/sequences/sequence_timing.hpp"

namespace takt::schedulers {

namespace {

using Ticks = Time::rep;

constexpr std::size_t most_tasks = 300, most_processors = 32;
/// Number of tasks for which a move costs one step of the budget, without and with messages.
constexpr std::size_t tasks_per_step = 20, tasks_with_messages_per_step = 3;
/// Age, in steps, of the lateness that a step is compared with.
constexpr std::size_t history_length = 500;

class SequenceSearch {
 public:
  SequenceSearch(const Workload& workload, const logp::Allocation& allocation, Ticks bound,
                 std::uint64_t& budget, SearchRandom& random, const Bundles* bundles)
      : graph_(workload.items()),
        timing_(workload),
        bound_(bound),
        budget_(budget),
        random_(random),
        processors_(workload.machine().processor_count()),
        cost_of_move_(1 + graph_.task_count() / (workload.machine().communication_is_free()
                                                     ? tasks_per_step
                                                     : tasks_with_messages_per_step)),
        current_(workload.items(), allocation, bundles) {}

  logp::Allocation run() {
    best_ = current_;
    period_ = shortest_period(current_, 0, longest_period());
    aim();
    for (step_ = 0; budget_ > 0 && period_ > bound_; ++step_) {
      budget_ -= std::min(budget_, cost_of_move_);
      if (step_ - improved_at_ > idle_steps()) start_again();
      undo_ = current_;
      if (!current_.try_move(graph_, processors_, random_)) continue;
      const Ticks late = timing_.lateness(current_, period_ - 1);
      Ticks& before = history_[step_ % history_length];
      if (late > late_ && late > before) {
        std::swap(current_, undo_);
      } else {
        accept(late);
      }
      before = std::min(before, late_);
    }
    return best_.allocation(processors_);
  }

 private:
  /// Returns a period that is long enough for any arrangement: all operations in sequence.
  [[nodiscard]] Ticks longest_period() {
    Ticks period = 1;
    while (timing_.lateness(current_, period) > 0) period *= 2;
    return period;
  }

  /// Returns the least feasible period of the arrangement above `low`, given that `high` is feasible.
  [[nodiscard]] Ticks shortest_period(const Arrangement& arrangement, Ticks low, Ticks high) {
    while (high - low > 1) {
      const Ticks middle = low + (high - low) / 2;
      (timing_.lateness(arrangement, middle) == 0 ? high : low) = middle;
    }
    return high;
  }

  void aim() {
    late_ = least_late_ = timing_.lateness(current_, period_ - 1);
    history_.assign(history_length, late_);
    improved_at_ = step_;
  }

  void accept(Ticks late) {
    late_ = late;
    if (late < least_late_) {
      least_late_ = late;
      improved_at_ = step_;
    }
    if (late > 0) return;
    best_ = current_;
    period_ = shortest_period(current_, std::max<Ticks>(bound_, 1) - 1, period_ - 1);
    aim();
  }

  /// Number of steps without an improvement after which the search restarts.
  [[nodiscard]] std::size_t idle_steps() const { return history_length + 50 * graph_.task_count(); }

  /// Restarts from the best arrangement after some random moves.
  void start_again() {
    current_ = best_;
    for (std::size_t moves = 2 + random_.below(graph_.task_count()); moves > 0; --moves)
      (void)current_.try_move(graph_, processors_, random_);
    aim();
  }

  const TaskGraph& graph_;
  SequenceTiming timing_;
  Ticks bound_;
  std::uint64_t& budget_;
  SearchRandom& random_;
  std::size_t processors_;
  std::uint64_t cost_of_move_;
  Arrangement current_, undo_, best_;
  /// The best period, the lateness of the current arrangement for one tick less, and the least lateness since
  /// the last start.
  Ticks period_ = 0, late_ = 0, least_late_ = 0;
  std::vector<Ticks> history_;
  std::size_t step_ = 0, improved_at_ = 0;
};

}  // namespace

bool can_improve_sequences(const Workload& workload) {
  return workload.replicas() == 1 && workload.item_count() > 0 && workload.item_count() <= most_tasks &&
         workload.machine().processor_count() > 1 && workload.machine().processor_count() <= most_processors;
}

logp::Allocation improve_sequences(const Workload& workload, const logp::Allocation& allocation, Time bound,
                                   std::uint64_t& budget, SearchRandom& random, const Bundles* bundles) {
  return SequenceSearch(workload, allocation, bound.count(), budget, random, bundles).run();
}

}  // namespace takt::schedulers
