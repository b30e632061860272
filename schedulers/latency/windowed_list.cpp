#include "schedulers/latency/windowed_list.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "logp/message_costs.hpp"
#include "schedulers/search/topological_order.hpp"

namespace takt::schedulers {

namespace {

using Ticks = Time::rep;

/// Shares of the window that tasks may fill, in percent.
constexpr Ticks filled_percent[] = {100, 90, 75};
/// Largest number of tried delays between the windows.
constexpr std::size_t most_staggers = 8;

class WindowedList {
 public:
  WindowedList(const Workload& workload, std::span<const TaskId> order)
      : workload_(workload),
        graph_(workload.items()),
        order_(order),
        processors_(workload.machine().processor_count()) {}

  /// Uses processor k from k * stagger on, for the time of `window`.
  Arrangement run(Ticks stagger, Ticks window) {
    window_ = window;
    state_.assign(processors_, {});
    for (std::size_t p = 0; p < processors_; ++p) state_[p].ready = static_cast<Ticks>(p) * stagger;
    end_.assign(graph_.task_count(), 0);
    place_.assign(graph_.task_count(), 0);
    arrival_.assign(graph_.datum_count() * processors_, not_sent);
    std::vector<std::uint32_t> sequence;
    for (TaskId task : order_) {
      sequence.push_back(static_cast<std::uint32_t>(task.index()));
      commit(task, choose(task));
    }
    return {std::move(sequence), place_};
  }

 private:
  static constexpr Ticks not_sent = -1;

  struct State {
    bool is_open = false;
    Ticks open = 0, ready = 0;
  };
  /// A task's slot on a processor, with its receives before it.
  struct Slot {
    Ticks start = 0, end = 0;
  };

  [[nodiscard]] std::uint32_t choose(TaskId task) const {
    std::uint32_t best = 0;
    std::tuple<Ticks, Ticks, bool> best_value{std::numeric_limits<Ticks>::max(), 0, false};
    for (std::uint32_t p = 0; p < processors_; ++p) {
      const Slot slot = slot_of(task, p);
      const State& state = state_[p];
      const Ticks over = std::max<Ticks>(0, slot.end - (state.is_open ? state.open : slot.start) - window_);
      if (const std::tuple value(over, slot.end, !state.is_open); value < best_value) {
        best = p;
        best_value = value;
      }
    }
    return best;
  }

  [[nodiscard]] Slot slot_of(TaskId task, std::uint32_t p) const {
    Ticks receives = 0, latest = 0;
    for (EdgeId in : graph_.in_edges(task)) {
      const Edge edge = graph_.edge(in);
      const std::uint32_t from = place_[edge.from.index()];
      if (from == p) continue;
      const Ticks known = arrival_[edge.datum.index() * processors_ + p];
      if (known != not_sent) {
        latest = std::max(latest, known);
        continue;
      }
      const logp::LinkCosts& costs = workload_.links(ProcessorId(from), ProcessorId(p));
      latest =
          std::max(latest, std::max(state_[from].ready, end_[edge.from.index()]) + transit(costs, edge.size));
      receives += costs.receive_overhead.at(edge.size).count();
    }
    const Ticks start = std::max(state_[p].ready, latest);
    return {start, start + receives + workload_.time(task, workload_.class_of(ProcessorId(p))).count()};
  }

  void commit(TaskId task, std::uint32_t p) {
    const Slot slot = slot_of(task, p);
    for (EdgeId in : graph_.in_edges(task)) {
      const Edge edge = graph_.edge(in);
      const std::uint32_t from = place_[edge.from.index()];
      Ticks& arrival = arrival_[edge.datum.index() * processors_ + p];
      if (from == p || arrival != not_sent) continue;
      const logp::LinkCosts& costs = workload_.links(ProcessorId(from), ProcessorId(p));
      arrival = state_[from].ready + transit(costs, edge.size);
      state_[from].ready += costs.send_overhead.at(edge.size).count();
    }
    State& state = state_[p];
    if (!state.is_open) state.open = slot.start;
    state.is_open = true;
    state.ready = end_[task.index()] = slot.end;
    place_[task.index()] = p;
  }

  [[nodiscard]] static Ticks transit(const logp::LinkCosts& costs, Bytes size) {
    return logp::MessageCosts(costs, size).transit().count();
  }

  const Workload& workload_;
  const TaskGraph& graph_;
  std::span<const TaskId> order_;
  std::size_t processors_;
  Ticks window_ = 0;
  std::vector<State> state_;
  std::vector<Ticks> end_;
  std::vector<std::uint32_t> place_;
  /// Per datum and processor.
  std::vector<Ticks> arrival_;
};

}  // namespace

std::vector<Arrangement> windowed_lists(const Workload& workload, Time repetition) {
  SearchRandom unused(0);
  const std::vector<TaskId> order = topological_order(workload.items(), OrderRule::b_level, unused);
  WindowedList list(workload, order);
  const std::size_t processors = workload.machine().processor_count();
  std::vector<Ticks> staggers{0};
  for (std::size_t i = 0; i < std::min(processors - 1, most_staggers); ++i)
    staggers.push_back(repetition.count() / static_cast<Ticks>(i + 1));
  std::vector<Arrangement> result;
  for (const Ticks stagger : staggers)
    for (const Ticks percent : filled_percent)
      result.push_back(
          list.run(stagger, repetition.count() / 100 * percent + repetition.count() % 100 * percent / 100));
  return result;
}

}  // namespace takt::schedulers
