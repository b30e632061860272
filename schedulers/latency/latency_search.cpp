#include "schedulers/latency/latency_search.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "logp/period.hpp"
#include "logp/timing.hpp"
#include "schedulers/delay/timetable.hpp"
#include "schedulers/frequency/on_links.hpp"
#include "schedulers/latency/windowed_list.hpp"
#include "schedulers/search/stage_search.hpp"
#include "schedulers/search/topological_order.hpp"
#include "schedulers/sequences/arrangement.hpp"
#include "schedulers/sequences/sequence_timing.hpp"

namespace takt::schedulers {

namespace {

/// Age in steps of the value that a step is compared with; number of steps without an improvement before a
/// restart.
constexpr std::size_t history_length = 50;
constexpr std::uint64_t most_idle_steps = 3'000, least_idle_steps = 50;
/// Least number of starts that the effort covers.
constexpr std::uint64_t reached_starts = 6;
/// Random sequences are tried on graphs of up to this size; larger ones have better restarts.
constexpr std::size_t few_tasks = 20;

/// Excess of the repetition, then the makespan: less is better.
using Value = std::pair<Time::rep, Time::rep>;

class LatencySearch {
 public:
  LatencySearch(const TaskGraph& graph, const logp::Machine& machine, Time repetition, std::uint64_t effort,
                std::uint64_t seed)
      : graph_(graph),
        machine_(machine),
        repetition_(repetition),
        effort_(effort),
        random_(seed),
        aggregate_(!messages_occupy_no_processor(machine)),
        idle_steps_(std::clamp(effort / reached_starts, least_idle_steps, most_idle_steps)),
        workload_(graph, machine),
        timing_(workload_) {}

  void run(std::span<const Schedule> starts) {
    std::vector<std::pair<Value, Arrangement>> arrangements;
    const auto add = [&](Arrangement arrangement) {
      const Value value = evaluate(arrangement);
      if (value.first == 0) time(arrangement);
      arrangements.emplace_back(value, std::move(arrangement));
    };
    for (const Schedule& schedule : starts)
      if (schedule.replicas == 1) {
        take(schedule);
        add(Arrangement(graph_, allocation_of(schedule)));
      }
    for (Arrangement& arrangement : windowed_lists(workload_, repetition_)) add(std::move(arrangement));
    // The most promising start goes first.
    std::ranges::stable_sort(arrangements, std::less{}, [](const auto& each) { return each.first; });
    for (std::size_t i = 0; i < arrangements.size() && effort_ > 0; ++i) {
      const bool is_known = i > 0 && arrangements[i].first == arrangements[i - 1].first;
      if (!is_known) climb(std::move(arrangements[i].second), arrangements[i].first);
    }
    for (bool is_random = false; effort_ > 0; is_random = !is_random) {
      Arrangement arrangement =
          is_random && graph_.task_count() <= few_tasks ? random_arrangement() : shaken(least_);
      const Value value = evaluate(arrangement);
      climb(std::move(arrangement), value);
    }
  }

  [[nodiscard]] std::optional<Schedule> take() && { return std::move(best_); }

 private:
  Value evaluate(const Arrangement& arrangement) {
    effort_ -= std::min<std::uint64_t>(effort_, 1);
    const Time::rep late = timing_.lateness(arrangement, repetition_.count());
    return {late, timing_.makespan()};
  }

  /// Keeps a schedule within the repetition if it is the shortest one.
  void take(const Schedule& schedule) {
    const ScheduleMetrics metrics = measure(schedule);
    if (metrics.repetition > repetition_ || (best_ && metrics.makespan >= shortest_)) return;
    best_ = schedule;
    best_->processors.resize(machine_.processor_count());
    shortest_ = metrics.makespan;
  }

  /// Times an arrangement with the engine, whose result decides: the network's capacity can forbid the times
  /// that the search assumed.
  void time(const Arrangement& arrangement) {
    const Schedule schedule = logp::time_task_messages(
        graph_, machine_, arrangement.allocation(machine_.processor_count()), {.aggregate = aggregate_});
    take(schedule);
    if (measure(schedule).repetition > repetition_)
      if (const auto tighter = logp::with_repetition(machine_, schedule, repetition_)) take(*tighter);
  }

  void climb(Arrangement arrangement, Value value) {
    std::array<Value, history_length> history;
    history.fill(value);
    Value least = value;
    Arrangement least_arrangement = arrangement;
    std::size_t since_least = 0;
    Arrangement before;
    for (std::size_t step = 0; effort_ > 0 && since_least < idle_steps_; ++step, ++since_least) {
      before = arrangement;
      if (!arrangement.try_move(graph_, machine_.processor_count(), random_)) {
        --effort_;
        continue;
      }
      const Value next = evaluate(arrangement);
      Value& late = history[step % history_length];
      if (next <= value || next <= late)
        value = next;
      else
        std::swap(arrangement, before);
      late = std::min(late, value);
      if (value < least) {
        least = value;
        least_arrangement = arrangement;
        since_least = 0;
      }
    }
    if (least.first == 0 && (!best_ || least.second < shortest_.count())) time(least_arrangement);
    if (least < least_value_) {
      least_value_ = least;
      least_ = std::move(least_arrangement);
    }
  }

  Arrangement random_arrangement() {
    std::vector<std::uint32_t> order, processor_of;
    for (TaskId task : topological_order(graph_, OrderRule::random, random_))
      order.push_back(static_cast<std::uint32_t>(task.index()));
    for (std::size_t i = 0; i < order.size(); ++i)
      processor_of.push_back(static_cast<std::uint32_t>(random_.below(machine_.processor_count())));
    return {std::move(order), std::move(processor_of)};
  }

  /// Returns the arrangement after some random moves.
  Arrangement shaken(Arrangement arrangement) {
    for (std::size_t moves = 2 + random_.below(1 + graph_.task_count() / 4); moves > 0; --moves)
      (void)arrangement.try_move(graph_, machine_.processor_count(), random_);
    return arrangement;
  }

  const TaskGraph& graph_;
  const logp::Machine& machine_;
  Time repetition_;
  std::uint64_t effort_;
  SearchRandom random_;
  bool aggregate_;
  std::uint64_t idle_steps_;
  Workload workload_;
  SequenceTiming timing_;
  /// The least value found by the search, and the shortest schedule timed by the engine.
  Value least_value_{Time::max().count(), Time::max().count()};
  Arrangement least_;
  std::optional<Schedule> best_;
  Time shortest_{0};
};

/// Returns the schedule with the least makespan among those that repeat within `repetition`.
std::optional<Schedule> shortest_that_holds(Time repetition, std::span<const Schedule> schedules,
                                            std::size_t processors) {
  std::optional<Schedule> best;
  Time least = Time::max();
  for (const Schedule& schedule : schedules) {
    const ScheduleMetrics metrics = measure(schedule);
    if (schedule.replicas > 1 || metrics.repetition > repetition || metrics.makespan >= least) continue;
    least = metrics.makespan;
    best = schedule;
  }
  if (best) best->processors.resize(processors);
  return best;
}

}  // namespace

std::optional<Schedule> find_least_latency(const TaskGraph& graph, const logp::Machine& machine,
                                           Time repetition, std::span<const Schedule> starts,
                                           std::uint64_t effort, std::uint64_t seed) {
  if (graph.task_count() == 0) return Schedule({}, machine.processor_count());
  LatencySearch search(graph, machine, repetition, effort, seed);
  search.run(starts);
  std::optional<Schedule> schedule = std::move(search).take();
  if (!machine.platform().network.empty()) {
    std::vector<Schedule> routed(starts.begin(), starts.end());
    if (schedule) routed.push_back(on_links(graph, machine, *std::move(schedule)));
    schedule = shortest_that_holds(repetition, routed, machine.processor_count());
  }
  if (schedule) schedule->scheduler = "least_latency";
  return schedule;
}

}  // namespace takt::schedulers
