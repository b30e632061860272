#include "schedulers/replication/replication.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "schedulers/fit.hpp"
#include "schedulers/relay/chain_routes.hpp"
#include "schedulers/replication/copies.hpp"
#include "schedulers/replication/rounds.hpp"
#include "schedulers/search/stage_loads.hpp"
#include "schedulers/search/stage_search.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

namespace {

constexpr std::uint32_t most_replicas = 64;
/// Items of all tried numbers of replicas, in sum.
constexpr std::size_t most_items = 200'000;
/// Number of replica counts that are searched further, and the share of the period that a larger one must
/// gain: the frames of an iteration wait for each other, so more of them cost latency and memory.
constexpr std::size_t kept = 3;
constexpr double least_gain = 0.03;
constexpr std::uint64_t first_moves_per_item = 50, least_moves = 2'000, moves_per_item = 300;
/// Up to this number of items and replicas every replica count is searched further.
constexpr std::size_t most_items_of_each = 120;
constexpr std::uint32_t most_replicas_of_each = 8;

/// A unit of placement: a stateful task, or a segment of stateless ones.
struct Unit {
  std::vector<TaskId> tasks;
  bool has_state = false;
  /// Largest number of stateful tasks on a path before it.
  std::size_t level = 0;
  bool has_stateless_before = false;
  bool has_stateless_after = false;
};

/// The units of a graph, each after its predecessors.
///
/// A stateless task of level l and a stateful one of level l can only depend on each other in this direction,
/// and every successor of a stateful task has a higher level; so units, ordered by level and stateless ones
/// first, never depend on each other in a cycle.
class Units {
 public:
  explicit Units(const TaskGraph& graph) : graph_(graph), level_(graph.task_count(), 0) {
    for (TaskId task : graph.topological_order())
      for (EdgeId in : graph.in_edges(task)) {
        const TaskId from = graph.edge(in).from;
        level_[task.index()] =
            std::max(level_[task.index()], level_[from.index()] + (graph.task(from).stateless ? 0 : 1));
      }
    collect();
    mark_neighbours();
    std::ranges::stable_sort(units_, std::less{},
                             [](const Unit& unit) { return std::pair(unit.level, unit.has_state); });
    unit_of_.resize(graph.task_count());
    for (std::size_t i = 0; i < units_.size(); ++i)
      for (TaskId task : units_[i].tasks) unit_of_[task.index()] = i;
  }

  [[nodiscard]] const std::vector<Unit>& all() const { return units_; }
  /// Returns the index in all() of a task's unit.
  [[nodiscard]] std::size_t unit_of(TaskId task) const { return unit_of_[task.index()]; }

 private:
  void collect() {
    std::vector<bool> seen(graph_.task_count(), false);
    for (TaskId first : graph_.topological_order()) {
      if (seen[first.index()]) continue;
      seen[first.index()] = true;
      Unit unit{{first}, !graph_.task(first).stateless, level_[first.index()]};
      auto join = [&](TaskId task) {
        if (seen[task.index()] || !graph_.task(task).stateless || level_[task.index()] != unit.level) return;
        seen[task.index()] = true;
        unit.tasks.push_back(task);
      };
      for (std::size_t i = 0; !unit.has_state && i < unit.tasks.size(); ++i) {
        const TaskId task = unit.tasks[i];
        for (EdgeId in : graph_.in_edges(task)) join(graph_.edge(in).from);
        for (EdgeId out : graph_.out_edges(task)) join(graph_.edge(out).to);
      }
      units_.push_back(std::move(unit));
    }
  }

  void mark_neighbours() {
    std::vector<bool> before(graph_.task_count(), false), after(graph_.task_count(), false);
    const auto order = graph_.topological_order();
    for (TaskId task : order)
      for (EdgeId in : graph_.in_edges(task)) {
        const TaskId from = graph_.edge(in).from;
        if (before[from.index()] || graph_.task(from).stateless) before[task.index()] = true;
      }
    for (auto task = order.rbegin(); task != order.rend(); ++task)
      for (EdgeId out : graph_.out_edges(*task)) {
        const TaskId to = graph_.edge(out).to;
        if (after[to.index()] || graph_.task(to).stateless) after[task->index()] = true;
      }
    for (Unit& unit : units_) {
      unit.has_stateless_before = before[unit.tasks.front().index()];
      unit.has_stateless_after = after[unit.tasks.front().index()];
    }
  }

  const TaskGraph& graph_;
  std::vector<std::size_t> level_;
  std::vector<Unit> units_;
  std::vector<std::size_t> unit_of_;
};

/// Assigns the units of all instances to the stages of a chain.
class Placement {
 public:
  Placement(const Workload& workload, const Units& units, std::vector<ProcessorId> chain)
      : workload_(workload),
        units_(units),
        stages_(chain.size()),
        items_(items_by_task(workload)),
        loads_(workload, std::move(chain), first_stages(), Routing::direct),
        last_stages_(last_stages()) {
    for (std::size_t unit = 0; unit < units.all().size(); ++unit)
      if (!units.all()[unit].has_state)
        for (std::uint32_t instance = 0; instance < workload.replicas(); ++instance) place(unit, instance);
  }

  [[nodiscard]] StageLoads take() && { return std::move(loads_); }

 private:
  /// Returns the items of each task, one per instance for stateless ones.
  static std::vector<std::vector<TaskId>> items_by_task(const Workload& workload) {
    std::vector<std::vector<TaskId>> items(workload.original().task_count());
    for (TaskId item : workload.items().tasks()) items[workload.task_of(item).index()].push_back(item);
    return items;
  }
  [[nodiscard]] TaskId item(TaskId task, std::uint32_t instance) const {
    const std::vector<TaskId>& items = items_[task.index()];
    return items.size() == 1 ? items.front() : items[instance];
  }

  /// Stateful tasks at their fixed stage; segments as early as possible.
  [[nodiscard]] std::vector<std::uint32_t> first_stages() const {
    const TaskGraph& graph = workload_.original();
    const Time::rep work = std::max<Time::rep>(1, graph.total_work().count());
    const auto last = static_cast<std::uint32_t>(stages_ - 1);
    std::vector<std::uint32_t> stage_of_task(graph.task_count(), 0), stage_of(workload_.item_count());
    Time::rep work_before = 0;
    for (const Unit& unit : units_.all()) {
      std::uint32_t stage = 0;
      if (unit.has_state && unit.has_stateless_before)
        stage = unit.has_stateless_after
                    ? static_cast<std::uint32_t>(static_cast<double>(work_before) /
                                                 static_cast<double>(work) * static_cast<double>(last))
                    : last;
      for (TaskId task : unit.tasks) {
        for (EdgeId in : graph.in_edges(task))
          stage = std::max(stage, stage_of_task[graph.edge(in).from.index()]);
        work_before += graph.task(task).work.count();
      }
      for (TaskId task : unit.tasks) {
        stage_of_task[task.index()] = stage;
        for (TaskId item : items_[task.index()]) stage_of[item.index()] = stage;
      }
    }
    return stage_of;
  }

  /// Returns the latest possible stage of each unit: not after a stateful task that depends on it, directly
  /// or through other segments.
  [[nodiscard]] std::vector<std::uint32_t> last_stages() const {
    const TaskGraph& graph = workload_.original();
    std::vector<std::uint32_t> last(units_.all().size(), static_cast<std::uint32_t>(stages_ - 1));
    for (std::size_t i = last.size(); i-- > 0;) {
      const Unit& unit = units_.all()[i];
      if (unit.has_state) {
        last[i] = loads_.stage_of(item(unit.tasks.front(), 0));
        continue;
      }
      for (TaskId task : unit.tasks)
        for (EdgeId out : graph.out_edges(task))
          if (const std::size_t next = units_.unit_of(graph.edge(out).to); next != i)
            last[i] = std::min(last[i], last[next]);
    }
    return last;
  }

  /// Places one instance of a segment on the stage with the least largest load, then with the least own load.
  void place(std::size_t index, std::uint32_t instance) {
    const TaskGraph& graph = workload_.original();
    const Unit& unit = units_.all()[index];
    std::uint32_t first = 0;
    const std::uint32_t last = last_stages_[index];
    for (TaskId task : unit.tasks)
      for (EdgeId in : graph.in_edges(task))
        if (const TaskId from = graph.edge(in).from; units_.unit_of(from) != index)
          first = std::max(first, loads_.stage_of(item(from, instance)));
    std::uint32_t best = first;
    std::pair best_loads{std::numeric_limits<Time::rep>::max(), std::numeric_limits<Time::rep>::max()};
    for (std::uint32_t stage = first; stage <= last; ++stage) {
      move(unit, instance, stage);
      const std::pair loads{loads_.repetition(), loads_.load(stage)};
      if (loads < best_loads) {
        best = stage;
        best_loads = loads;
      }
    }
    move(unit, instance, best);
  }

  void move(const Unit& unit, std::uint32_t instance, std::uint32_t stage) {
    for (TaskId task : unit.tasks) loads_.move(item(task, instance), stage);
  }

  const Workload& workload_;
  const Units& units_;
  std::size_t stages_;
  std::vector<std::vector<TaskId>> items_;
  StageLoads loads_;
  /// Per unit.
  std::vector<std::uint32_t> last_stages_;
};

/// Fastest first; equal ones by number.
std::vector<ProcessorId> chain_of(const logp::Machine& machine) {
  std::vector<ProcessorId> chain;
  for (ProcessorId p : machine.processors()) chain.push_back(p);
  std::ranges::stable_sort(chain, std::greater{},
                           [&](ProcessorId p) { return machine.platform().speeds[p.index()]; });
  return chain;
}

/// Returns the numbers of replicas in the order of trial; empty if two frames are too large.
std::vector<std::uint32_t> numbers_of_replicas(const TaskGraph& graph, const logp::Machine& machine) {
  const double most = most_frames_in_sum(graph, machine);
  std::vector<std::uint32_t> numbers;
  std::size_t items = 0;
  for (std::uint32_t replicas = 2; replicas <= most_replicas; ++replicas) {
    items += replicas * graph.task_count();
    if (items > most_items || replicas > most) break;
    numbers.push_back(replicas);
  }
  // One frame per processor is always tried, whatever its size.
  const auto count = static_cast<std::uint32_t>(machine.processor_count());
  if (std::ranges::find(numbers, count) == numbers.end() && count * graph.task_count() <= most_items &&
      count <= most)
    numbers.push_back(count);
  if (numbers.empty() && most >= 2) numbers.push_back(2);
  return numbers;
}

/// Tries numbers of replicas briefly, then the best of them with the rest of the budget.
class Search {
 public:
  Search(const TaskGraph& graph, const logp::Machine& machine, const Period& bound, std::uint64_t& budget,
         std::uint64_t seed)
      : graph_(graph),
        machine_(machine),
        bound_(bound),
        budget_(budget),
        random_(seed),
        units_(graph),
        chain_(chain_of(machine)) {}

  std::vector<Schedule> run() {
    std::vector<Schedule> schedules;
    for (const std::uint32_t replicas : promising_replicas()) {
      const Workload workload(graph_, machine_, replicas);
      const StageLoads loads = place(workload, least_moves + moves_per_item * workload.item_count());
      schedules.push_back(make_schedule(workload, {loads.chain(), loads.stages()},
                                        ChainRoutes(loads.stage_count(), Routing::direct)));
    }
    return schedules;
  }

 private:
  /// In ascending order, each with a load that justifies more frames than the previous ones have.
  std::vector<std::uint32_t> promising_replicas() {
    const std::vector<std::uint32_t> numbers = numbers_of_replicas(graph_, machine_);
    if (numbers.empty()) return {};
    const std::uint64_t for_each = budget_ / (2 * numbers.size());
    std::vector<std::uint32_t> promising;
    double least = std::numeric_limits<double>::max();
    for (const std::uint32_t replicas : numbers) {
      const Workload workload(graph_, machine_, replicas);
      const std::uint64_t moves =
          std::min<std::uint64_t>(for_each, first_moves_per_item * workload.item_count());
      const Period load{Time(place(workload, moves).repetition()), replicas};
      if (load.ticks() > least * (1 - least_gain)) continue;
      least = load.ticks();
      promising.push_back(replicas);
      if (load <= bound_) break;
    }
    if (promising.size() > kept) promising.erase(promising.begin(), promising.end() - kept);
    return promising;
  }

  StageLoads place(const Workload& workload, std::uint64_t moves) {
    StageLoads loads = Placement(workload, units_, chain_).take();
    std::uint64_t slice = std::min(budget_, moves);
    budget_ -= slice;
    improve_stages(loads, bound_.time_of(workload.replicas()), slice, random_);
    budget_ += slice;
    return loads;
  }

  const TaskGraph& graph_;
  const logp::Machine& machine_;
  Period bound_;
  std::uint64_t& budget_;
  SearchRandom random_;
  Units units_;
  std::vector<ProcessorId> chain_;
};

bool has_no_state(const TaskGraph& graph) {
  return std::ranges::all_of(graph.tasks(), [&](TaskId task) { return graph.task(task).stateless; });
}

/// The best timetables of stages under repeated improvement.
class Timetables {
 public:
  explicit Timetables(const Workload& workload) : workload_(workload) {}

  void add(const StageLoads& loads) {
    if (best_ && loads.repetition() >= repetition_.count()) return;
    const Stages stages{loads.chain(), loads.stages()};
    add(stages, Joining::all, Sequencing::first);
    if (workload_.machine().communication_is_free()) return;
    for (const Joining joining : {Joining::all, Joining::of_item}) add(stages, joining, Sequencing::improved);
  }
  [[nodiscard]] std::optional<Schedule> take() && { return std::move(best_); }

 private:
  void add(const Stages& stages, Joining joining, Sequencing sequencing) {
    Schedule schedule = make_schedule(workload_, stages, ChainRoutes(stages.chain.size(), Routing::direct),
                                      joining, sequencing);
    const Time repetition = measure(schedule).repetition;
    if (best_ && repetition >= repetition_) return;
    best_ = std::move(schedule);
    repetition_ = repetition;
  }

  const Workload& workload_;
  std::optional<Schedule> best_;
  Time repetition_{0};
};

}  // namespace

std::vector<Schedule> replicate_each(const TaskGraph& graph, const logp::Machine& machine,
                                     const Period& bound, std::uint64_t& budget, std::uint64_t seed) {
  if (has_no_state(graph)) return {};
  const auto most = static_cast<std::uint32_t>(
      std::min(static_cast<double>(
                   std::min<std::size_t>(most_replicas_of_each, most_items_of_each / graph.task_count())),
               most_frames_in_sum(graph, machine)));
  const Units units(graph);
  std::vector<Schedule> schedules;
  for (std::uint32_t replicas = 2; replicas <= most; ++replicas) {
    const Workload workload(graph, machine, replicas);
    std::uint64_t slice =
        std::min(budget / (most - replicas + 1), least_moves + moves_per_item * workload.item_count());
    budget -= slice;
    // A separate generator, so that the result for one number does not depend on the searches for others.
    SearchRandom random(seed * most_replicas + replicas);
    StageLoads loads = Placement(workload, units, chain_of(machine)).take();
    Timetables timetables(workload);
    timetables.add(loads);
    improve_in_rounds(slice, [&](std::uint64_t& moves) {
      improve_stages(loads, bound.time_of(replicas), moves, random);
      timetables.add(loads);
    });
    budget += slice;
    schedules.push_back(*std::move(timetables).take());
  }
  return schedules;
}

std::vector<Schedule> replicate(const TaskGraph& graph, const logp::Machine& machine, const Period& bound,
                                std::uint64_t& budget, std::uint64_t seed) {
  if (has_no_state(graph)) {
    const auto frames = std::max<std::size_t>(most_replicas, machine.processor_count());
    return {copies_of_whole(graph, machine, best_shares(graph, machine, static_cast<std::uint32_t>(frames)))};
  }

  Search search(graph, machine, bound, budget, seed);
  return search.run();
}

}  // namespace takt::schedulers
