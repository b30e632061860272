#include "pipeline/tasking/graph.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace takt::tasking {

/// What the task of a unit calls.
struct Graph::UnitCall {
  Graph* graph;
  Unit unit;
  /// It may run again (`run_again`).
  bool has_started = false;

  void operator()() {
    if (!std::exchange(has_started, true))
      graph->order_[graph->started_.fetch_add(1, std::memory_order_relaxed)] = unit;
    graph->units_[unit].call();
  }
  /// The unit and its descendants are complete.
  void finish(detail::Task& task) const {
    graph->units_[unit].ticket.close(task);
    bool has_failed = task.is_skipped;
    if (Failure* const failure = task.failure.load(std::memory_order_acquire); failure != nullptr)
      has_failed = has_failed || failure->look().first != nullptr;
    for (const Unit each : graph->units_[unit].dependents) {
      Node& dependent = graph->units_[each];
      if (has_failed) dependent.is_skipped.store(true, std::memory_order_relaxed);
      if (dependent.open.fetch_sub(1, std::memory_order_acq_rel) == 1) graph->release(each, *task.parent);
    }
  }
};

Graph::Unit Graph::add(std::function<void()> call, const With& with) {
  Node& node = units_.emplace_back();
  node.call = std::move(call);
  node.with = with;
  node.ticket.open(with.priority);
  is_checked_ = false;
  return static_cast<Unit>(units_.size() - 1);
}

Graph::Unit Graph::add(std::function<void()> call, std::initializer_list<Access> accesses, const With& with) {
  const Unit unit = add(std::move(call), with);
  units_[unit].accesses = accesses;
  std::vector<Unit> before;
  for (const Access& each : accesses) accesses_.note(unit, each, before);
  std::ranges::sort(before);
  const auto repeated = std::ranges::unique(before);
  before.erase(repeated.begin(), repeated.end());
  for (const Unit each : before) precede(each, unit);
  return unit;
}

std::out_of_range Graph::no_unit(Unit unit) const {
  return std::out_of_range("unit " + std::to_string(unit) + ": the graph has " +
                           std::to_string(units_.size()) + " units");
}

void Graph::precede(Unit before, Unit after) {
  if (before >= units_.size() || after >= units_.size()) throw no_unit(std::max(before, after));
  units_[before].dependents.push_back(after);
  ++units_[after].dependencies;
  is_checked_ = false;
}

bool Graph::set_priority(Unit unit, int priority) {
  if (unit >= units_.size()) throw no_unit(unit);
  detail::require_priority(priority);
  return units_[unit].ticket.set_priority(priority);
}

void Graph::reset() {
  require_no_circle();
  order_.assign(units_.size(), 0);
  started_.store(0, std::memory_order_relaxed);
  for (Node& each : units_) {
    each.open.store(each.dependencies, std::memory_order_relaxed);
    each.is_skipped.store(false, std::memory_order_relaxed);
    each.ticket.open(each.ticket.priority());
  }
}

void Graph::require_no_circle() {
  if (is_checked_) return;
  std::vector<int> open;
  std::vector<Unit> ready;
  for (Unit unit = 0; unit < units_.size(); ++unit) {
    open.push_back(units_[unit].dependencies);
    if (open.back() == 0) ready.push_back(unit);
  }
  for (std::size_t i = 0; i < ready.size(); ++i)
    for (const Unit each : units_[ready[i]].dependents)
      if (--open[each] == 0) ready.push_back(each);
  if (ready.size() < units_.size()) {
    // Each with the first unit for which it would wait.
    std::vector<std::string> waits(units_.size());
    for (Unit unit = 0; unit < units_.size(); ++unit)
      for (const Unit each : units_[unit].dependents)
        if (open[unit] != 0 && open[each] != 0 && waits[each].empty())
          waits[each] = ' ' + std::to_string(each) + " (waits for " + std::to_string(unit) + ')';
    std::string names;
    for (const std::string& each : waits) names += each;
    throw std::invalid_argument("a circle of dependencies: these units would never start:" + names);
  }
  is_checked_ = true;
}

void Graph::release(Unit unit, detail::Task& parent) {
  detail::Worker& worker = *detail::Worker::here();
  Node& node = units_[unit];
  detail::Task& task = *worker.make(&parent);
  detail::obey(task, node.with);
  task.is_skipped = node.is_skipped.load(std::memory_order_relaxed);
  task.is_unit = true;
  detail::fill(task, UnitCall{.graph = this, .unit = unit});
  node.ticket.release(task);
}

Handle Graph::start() {
  detail::current_task();
  for (const Node& each : units_) detail::require_possible(each.with, detail::Worker::here()->team());
  reset();
  return tasking::start([this] {
    detail::Task& parent = detail::current_task();
    // All units are its children from the beginning, although their tasks are made when they are ready.
    detail::Worker::here()->adopt(parent, static_cast<std::int32_t>(units_.size()));
    for (Unit unit = 0; unit < units_.size(); ++unit)
      if (units_[unit].dependencies == 0) release(unit, parent);
  });
}

void Graph::run() {
  wait(start());
}

std::vector<ConflictFinder::Conflict> Graph::run_checked() {
  Check& check = *(check_ = std::make_unique<Check>());
  for (Unit unit = 0; unit < units_.size(); ++unit) check.finder.add(unit);
  for (Unit unit = 0; unit < units_.size(); ++unit) {
    for (const Unit each : units_[unit].dependents) check.finder.order(unit, each);
    for (const Access& each : units_[unit].accesses)
      check.finder.note(unit, each.address, each.bytes, each.writes);
  }
  try {
    run();
  } catch (...) {
    check_.reset();
    throw;
  }
  const std::unique_ptr<Check> done = std::move(check_);
  return done->finder.find();
}

void touches(const Access& access) {
  for (detail::Task* task = &detail::current_task(); task != nullptr; task = task->parent) {
    if (!task->is_unit) continue;
    const auto& call = *std::launder(reinterpret_cast<Graph::UnitCall*>(task->storage));
    if (Graph::Check* const check = call.graph->check_.get(); check != nullptr) {
      const std::lock_guard lock(check->mutex);
      check->finder.note(call.unit, access.address, access.bytes, access.writes);
    }
    return;
  }
}

void Graph::run_in(std::span<const Unit> order) {
  reset();
  if (order.size() != units_.size())
    throw std::invalid_argument("an order of " + std::to_string(order.size()) + " units: the graph has " +
                                std::to_string(units_.size()));
  std::vector<bool> has_run(units_.size());
  for (const Unit unit : order) {
    if (unit >= units_.size() || has_run[unit] || units_[unit].open.load() != 0)
      throw std::invalid_argument("unit " + std::to_string(unit) + " is not ready at its place in the order");
    has_run[unit] = true;
    order_[started_++] = unit;
    wait(tasking::start(units_[unit].with, units_[unit].call));
    for (const Unit each : units_[unit].dependents) --units_[each].open;
  }
}

std::vector<Graph::Unit> Graph::order() const {
  return {order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(started_.load())};
}

}  // namespace takt::tasking
