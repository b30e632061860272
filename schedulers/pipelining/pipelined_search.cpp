#include "schedulers/pipelining/pipelined_search.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "core/graphs/task_groups.hpp"
#include "schedulers/bounds/assignment_search.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/fit.hpp"
#include "schedulers/pipelining/modulo_timetable.hpp"
#include "schedulers/relay/stages.hpp"
#include "schedulers/search/stage_loads.hpp"
#include "schedulers/search/stage_search.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

namespace {

/// Largest number of items of several frames.
constexpr std::size_t most_items_of_frames = 1'000;
/// Largest number of pairs of processors and frames, each with the state of a message.
constexpr std::size_t most_messages = 4'000'000;
/// Searches from each start, each with another share of the budget.
constexpr std::uint64_t rounds = 2;
/// Pairs of operations in placements of timetables for each move of the search: they take about as long.
constexpr std::uint64_t pairs_per_move = 64;
/// Largest graphs whose allocations are all examined, the most timetables of them, and steps for each move of
/// the search.
constexpr std::size_t most_examined_items = 20;
constexpr std::uint64_t most_timetables = 500, steps_per_move = 4;

using Processors = std::vector<ProcessorId>;

/// The processors of a schedule's tasks; empty if it has several frames, or tasks on groups.
Processors processors_of(const TaskGraph& graph, const Schedule& schedule) {
  if (schedule.replicas != 1 || runs_in_groups(graph, schedule)) return {};
  Processors result(graph.task_count());
  for (std::size_t p = 0; p < schedule.processors.size(); ++p)
    for (const Operation& operation : schedule.processors[p])
      if (operation.kind == OperationKind::compute) result[operation.subject] = ProcessorId(p);
  return result;
}

/// In falling order of time, each on the processor with the least resulting load.
Processors largest_first(const Workload& workload) {
  const std::size_t count = workload.machine().processor_count();
  std::vector<TaskId> order;
  for (TaskId item : workload.items().tasks()) order.push_back(item);
  const auto least_time = [&](TaskId item) {
    Time least = Time::max();
    for (std::uint32_t c = 0; c < workload.class_count(); ++c)
      least = std::min(least, workload.time(item, c));
    return least;
  };
  std::ranges::stable_sort(order, std::greater{}, least_time);
  std::vector<Time> load(count, Time{0});
  Processors result(order.size());
  for (TaskId item : order) {
    const auto resulting = [&](std::size_t p) {
      return load[p] + workload.time(item, workload.class_of(ProcessorId(p)));
    };
    std::size_t best = 0;
    for (std::size_t p = 1; p < count; ++p)
      if (resulting(p) < resulting(best)) best = p;
    load[best] = resulting(best);
    result[item.index()] = ProcessorId(best);
  }
  return result;
}

/// The topological order in parts of equal time; several frames one after the other.
Processors contiguous(const Workload& workload) {
  const auto count = static_cast<Time::rep>(workload.machine().processor_count());
  const auto time = [&](TaskId item) { return workload.time(item, 0).count(); };
  double all = 0, before = 0;
  for (TaskId item : workload.items().tasks()) all += static_cast<double>(time(item));
  Processors result(workload.item_count());
  for (TaskId item : workload.items().topological_order()) {
    const double middle = before + static_cast<double>(time(item)) / 2;
    const auto part = all > 0 ? static_cast<Time::rep>(middle / all * static_cast<double>(count)) : 0;
    result[item.index()] = ProcessorId(static_cast<std::size_t>(std::min(part, count - 1)));
    before += static_cast<double>(time(item));
  }
  return result;
}

Stages stages_of(const Workload& workload, const Processors& processors) {
  Stages stages;
  for (ProcessorId p : workload.machine().processors()) stages.chain.push_back(p);
  for (ProcessorId p : processors) stages.stage_of.push_back(static_cast<std::uint32_t>(p.index()));
  return stages;
}

/// The timetables of one number of frames, and the best of them.
class Candidates {
 public:
  /// `pairs`: see least_modulo_timetable.
  Candidates(const Workload& workload, Time below, Time bound, std::uint64_t& pairs)
      : workload_(workload), below_(below), bound_(bound), pairs_(pairs) {}

  void add(const Processors& processors, Time at_least = Time{0}) {
    for (const MessageGrouping grouping : {MessageGrouping::joined, MessageGrouping::of_datum}) {
      const Flow flow(workload_, processors, grouping);
      std::optional<Schedule> schedule =
          least_modulo_timetable(workload_.machine(), flow, std::max(at_least, bound_), below_, pairs_);
      if (!schedule) continue;
      const Time repetition = measure(*schedule).repetition;
      if (repetition >= below_) continue;
      below_ = repetition;
      best_ = std::move(schedule);
      processors_ = processors;
    }
  }
  /// Largest repetition that is no improvement.
  [[nodiscard]] Time below() const { return below_; }
  [[nodiscard]] bool meets_bound() const { return below_ <= bound_; }
  [[nodiscard]] const Processors& processors() const { return processors_; }
  [[nodiscard]] std::optional<Schedule> take() && { return std::move(best_); }

 private:
  const Workload& workload_;
  Time below_, bound_;
  std::uint64_t& pairs_;
  std::optional<Schedule> best_;
  Processors processors_;
};

void search_loads(const Workload& workload, const std::vector<Processors>& starts, Time bound,
                  std::uint64_t& budget, std::uint64_t seed, Candidates& candidates) {
  for (const Processors& start : starts) candidates.add(start);
  const std::uint64_t slice = budget / (rounds * starts.size());
  for (std::uint64_t round = 0; round < rounds; ++round)
    for (const Processors& start : starts) {
      if (candidates.meets_bound()) return;
      std::uint64_t moves = slice;
      SearchRandom random(seed * rounds + round);
      const Stages stages = stages_of(
          workload, round > 0 && !candidates.processors().empty() ? candidates.processors() : start);
      StageLoads loads(workload, stages.chain, stages.stage_of, Routing::any_direction);
      improve_stages(loads, bound, moves, random);
      budget -= slice - moves;
      Processors found;
      for (std::uint32_t stage : loads.stages()) found.emplace_back(stage);
      candidates.add(found);
    }
}

void examine_all(const Workload& workload, std::uint64_t& budget, Candidates& candidates) {
  if (budget == 0) return;
  std::uint64_t left = most_timetables;
  for_each_assignment(workload, candidates.below(), Interchange::of_equal_speed_and_links, budget,
                      [&](std::span<const ProcessorId> processors, Time least) {
                        candidates.add({processors.begin(), processors.end()}, least);
                        return candidates.meets_bound() || --left == 0 ? Time{0} : candidates.below();
                      });
}

}  // namespace

std::optional<Schedule> search_pipelined(const TaskGraph& graph, const logp::Machine& machine,
                                         const Schedule& start, const Period& bound, std::uint64_t& budget,
                                         std::uint64_t seed) {
  std::optional<Schedule> best;
  const std::size_t processors = machine.processor_count();
  if (processors < 2 || graph.task_count() < 2) return best;
  Period shortest = measure(start).exact_period();
  const std::uint32_t frames = can_replicate(graph, machine) ? most_pipelined_frames : 1;
  std::uint64_t pairs = pairs_per_move * budget;
  for (std::uint32_t count = 1; count <= frames && bound < shortest; ++count) {
    if (processors * processors * count > most_messages) break;
    if (count > 1 &&
        (graph.task_count() * count > most_items_of_frames || count > most_frames_in_sum(graph, machine)))
      break;
    const Workload workload(graph, machine, count);
    Candidates candidates(workload, shortest.time_of(count), bound.time_of(count), pairs);
    std::vector<Processors> starts{largest_first(workload), contiguous(workload)};
    if (count == 1)
      if (Processors known = processors_of(graph, start); !known.empty()) starts.push_back(std::move(known));
    std::uint64_t slice = budget / (frames - count + 1);
    budget -= slice;
    // In addition to the budget: a step is much shorter than a move.
    std::uint64_t for_all =
        count == 1 && workload.item_count() <= most_examined_items ? steps_per_move * slice : 0;
    search_loads(workload, starts, bound.time_of(count), slice, seed, candidates);
    if (!candidates.meets_bound()) examine_all(workload, for_all, candidates);
    budget += slice;
    if (std::optional<Schedule> found = std::move(candidates).take()) {
      shortest = measure(*found).exact_period();
      best = std::move(found);
    }
  }
  return best;
}

std::optional<Schedule> pipelined_within(const TaskGraph& graph, const logp::Machine& machine,
                                         Time repetition, std::span<const Schedule> starts,
                                         std::uint64_t timetables, std::uint64_t seed) {
  const std::size_t processors = machine.processor_count();
  if (processors < 2 || graph.task_count() < 2 || processors * processors > most_messages)
    return std::nullopt;
  const Workload workload(graph, machine);
  std::optional<Schedule> best;
  Processors placed;
  Time shortest = Time::max();
  const auto add = [&](const Processors& tried) {
    if (timetables == 0) return false;
    --timetables;
    bool is_better = false;
    for (const MessageGrouping grouping : {MessageGrouping::joined, MessageGrouping::of_datum}) {
      std::optional<Schedule> schedule =
          modulo_timetable(machine, Flow(workload, tried, grouping), repetition);
      if (!schedule) continue;
      const Time latency = measure(*schedule).latency;
      if (latency >= shortest) continue;
      shortest = latency;
      best = std::move(schedule);
      placed = tried;
      is_better = true;
    }
    return is_better;
  };
  std::set<Processors> known{largest_first(workload), contiguous(workload)};
  for (const Schedule& start : starts)
    if (Processors own = processors_of(graph, start); !own.empty()) known.insert(std::move(own));
  SearchRandom random(seed);
  for (const Processors& start : known) {
    constexpr std::uint64_t moves_to_balance = 20'000;
    std::uint64_t moves = moves_to_balance;
    const Stages stages = stages_of(workload, start);
    StageLoads loads(workload, stages.chain, stages.stage_of, Routing::any_direction);
    improve_stages(loads, repetition, moves, random);
    Processors balanced;
    for (std::uint32_t stage : loads.stages()) balanced.emplace_back(stage);
    (void)add(balanced);
  }
  while (best && timetables > 0) {
    Processors next = placed;
    next[random.below(next.size())] = ProcessorId(random.below(processors));
    (void)add(next);
  }
  return best;
}

}  // namespace takt::schedulers
