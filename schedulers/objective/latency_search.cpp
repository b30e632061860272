#include "schedulers/objective/latency_search.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "logp/period.hpp"
#include "logp/timing.hpp"
#include "schedulers/frequency/orders.hpp"
#include "schedulers/frequency/stage_search.hpp"

namespace takt::schedulers {

namespace {

/// How many steps back the value is that a step is compared with, and after how many steps without a better
/// one the search starts anew.
constexpr std::size_t history_length = 50;
constexpr std::uint64_t most_patience = 1'000, least_patience = 50;
/// How many starts the effort must reach for at least.
constexpr std::uint64_t reached_starts = 6;

/// How far the repetition is too long, then the makespan: less is better.
using Value = std::pair<Time, Time>;

struct Layout {
  /// A topological order.
  std::vector<TaskId> sequence;
  std::vector<ProcessorId> processor_of;
};

/// Tasks in the order in which the schedule starts them, where it runs them.
Layout layout_of(const TaskGraph& graph, const Schedule& schedule) {
  std::vector<std::pair<Time, std::size_t>> starts(graph.task_count());
  Layout layout{{}, std::vector<ProcessorId>(graph.task_count())};
  std::vector<std::size_t> rank(graph.task_count());
  const auto order = graph.topological_order();
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i].index()] = i;
  for (std::size_t p = 0; p < schedule.processors.size(); ++p)
    for (const Operation& operation : schedule.processors[p]) {
      if (operation.kind != OperationKind::compute) continue;
      const std::size_t task = operation.task().index();
      layout.processor_of[task] = ProcessorId(p);
      starts[task] = {operation.start, rank[task]};
    }
  for (TaskId task : graph.tasks()) layout.sequence.push_back(task);
  std::ranges::sort(layout.sequence, std::less{}, [&](TaskId task) { return starts[task.index()]; });
  return layout;
}

/// Where messages occupy nobody, each datum is better sent on its own.
bool messages_occupy_nobody(const logp::Machine& machine) {
  return std::ranges::all_of(std::array{Level::node, Level::cluster, Level::wide}, [&](Level level) {
    const logp::LinkCosts& costs = machine.costs(level);
    return costs.send_overhead.is_zero() && costs.receive_overhead.is_zero() && costs.send_gap.is_zero() &&
           costs.receive_gap.is_zero();
  });
}

class LatencySearch {
 public:
  LatencySearch(const TaskGraph& graph, const logp::Machine& machine, Time repetition, std::uint64_t effort,
                std::uint64_t seed)
      : graph_(graph),
        machine_(machine),
        repetition_(repetition),
        effort_(effort),
        random_(seed),
        aggregate_(!messages_occupy_nobody(machine)),
        patience_(std::clamp(effort / reached_starts, least_patience, most_patience)) {}

  void run(std::span<const Schedule> starts) {
    // The most promising start goes first.
    std::vector<std::pair<Value, Layout>> layouts;
    for (const Schedule& schedule : starts)
      if (schedule.replicas == 1) {
        Layout layout = layout_of(graph_, schedule);
        const Value value = evaluate(layout);
        layouts.emplace_back(value, std::move(layout));
      }
    std::ranges::stable_sort(layouts, std::less{}, [](const auto& each) { return each.first; });
    for (auto& [value, layout] : layouts)
      if (effort_ > 0) climb(std::move(layout), value);
    while (effort_ > 0) {
      Layout layout = random_layout();
      const Value value = evaluate(layout);
      climb(std::move(layout), value);
    }
  }

  [[nodiscard]] std::optional<Schedule> take() && {
    if (best_value_.first > Time{0}) return std::nullopt;
    return std::move(best_);
  }

 private:
  Value evaluate(const Layout& layout) {
    effort_ -= std::min<std::uint64_t>(effort_, 1);
    logp::Allocation allocation{std::vector<std::vector<TaskId>>(machine_.processor_count())};
    for (TaskId task : layout.sequence)
      allocation.order[layout.processor_of[task.index()].index()].push_back(task);
    Schedule schedule = logp::time_task_messages(graph_, machine_, allocation, {.aggregate = aggregate_});
    ScheduleMetrics metrics = measure(schedule);
    if (metrics.repetition > repetition_)
      if (auto tighter = logp::with_repetition(machine_, schedule, repetition_)) {
        schedule = std::move(*tighter);
        metrics = measure(schedule);
      }
    const Value value{std::max(Time{0}, metrics.repetition - repetition_), metrics.makespan};
    if (value < best_value_) {
      best_value_ = value;
      best_ = std::move(schedule);
    }
    return value;
  }

  void climb(Layout layout, Value value) {
    std::array<Value, history_length> history;
    history.fill(value);
    Value least = value;
    std::size_t since_least = 0;
    for (std::size_t step = 0; effort_ > 0 && since_least < patience_; ++step, ++since_least) {
      Layout changed = layout;
      change(changed);
      const Value next = evaluate(changed);
      Value& late = history[step % history_length];
      if (next <= value || next <= late) {
        layout = std::move(changed);
        value = next;
      }
      late = std::min(late, value);
      if (value < least) {
        least = value;
        since_least = 0;
      }
    }
  }

  void change(Layout& layout) {
    const TaskId task(random_.below(graph_.task_count()));
    switch (random_.below(3)) {
      case 0:
        layout.processor_of[task.index()] = ProcessorId(random_.below(machine_.processor_count()));
        break;
      case 1:
        std::swap(layout.processor_of[task.index()], layout.processor_of[random_.below(graph_.task_count())]);
        break;
      default:
        move_in_sequence(layout.sequence, task);
    }
  }

  /// To any place between the last task that it needs and the first one that needs it.
  void move_in_sequence(std::vector<TaskId>& sequence, TaskId task) {
    const auto place = static_cast<std::size_t>(std::ranges::find(sequence, task) - sequence.begin());
    std::size_t first = place, last = place;
    while (first > 0 && !is_edge(sequence[first - 1], task)) --first;
    while (last + 1 < sequence.size() && !is_edge(task, sequence[last + 1])) ++last;
    const std::size_t to = first + random_.below(last - first + 1);
    const auto at = [&](std::size_t i) { return sequence.begin() + static_cast<std::ptrdiff_t>(i); };
    if (to < place)
      std::rotate(at(to), at(place), at(place + 1));
    else
      std::rotate(at(place), at(place + 1), at(to + 1));
  }

  [[nodiscard]] bool is_edge(TaskId from, TaskId to) const {
    return std::ranges::any_of(graph_.in_edges(to), [&](EdgeId id) { return graph_.edge(id).from == from; });
  }

  Layout random_layout() {
    Layout layout{topological_order(graph_, OrderRule::random, random_), {}};
    for (std::size_t i = 0; i < graph_.task_count(); ++i)
      layout.processor_of.emplace_back(random_.below(machine_.processor_count()));
    return layout;
  }

  const TaskGraph& graph_;
  const logp::Machine& machine_;
  Time repetition_;
  std::uint64_t effort_;
  SearchRandom random_;
  bool aggregate_;
  std::uint64_t patience_;
  Schedule best_;
  Value best_value_{Time::max(), Time::max()};
};

}  // namespace

std::optional<Schedule> find_least_latency(const TaskGraph& graph, const logp::Machine& machine,
                                           Time repetition, std::span<const Schedule> starts,
                                           std::uint64_t effort, std::uint64_t seed) {
  if (graph.task_count() == 0) return Schedule({}, machine.processor_count());
  LatencySearch search(graph, machine, repetition, effort, seed);
  search.run(starts);
  std::optional<Schedule> schedule = std::move(search).take();
  if (schedule) schedule->scheduler = "least_latency";
  return schedule;
}

}  // namespace takt::schedulers
