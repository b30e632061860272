#include "schedulers/sequences/arrangement.hpp"

#include <algorithm>
#include <utility>

namespace takt::schedulers {

Bundles::Bundles(std::size_t task_count, std::vector<std::vector<std::uint32_t>> bundles)
    : bundles_(task_count) {
  for (std::uint32_t task = 0; task < task_count; ++task) bundles_[task] = {task};
  for (const std::vector<std::uint32_t>& bundle : bundles)
    for (const std::uint32_t task : bundle) bundles_[task] = bundle;
}

std::span<const std::uint32_t> Bundles::with(std::uint32_t task) const {
  return bundles_[task];
}

Arrangement::Arrangement(std::vector<std::uint32_t> order, std::vector<std::uint32_t> processor_of)
    : processor_of_(std::move(processor_of)), order_(std::move(order)) {
  set_places();
}

Arrangement::Arrangement(const TaskGraph& graph, const logp::Allocation& allocation, const Bundles* bundles)
    : bundles_(bundles) {
  // A topological order of the edges and the sequences together.
  const std::size_t count = graph.task_count();
  processor_of_.resize(count);
  std::vector<std::size_t> missing(count);
  std::vector<std::uint32_t> next(count, static_cast<std::uint32_t>(count));
  for (std::uint32_t p = 0; p < allocation.order.size(); ++p)
    for (std::size_t i = 0; i < allocation.order[p].size(); ++i) {
      const std::size_t task = allocation.order[p][i].index();
      processor_of_[task] = p;
      missing[task] = graph.in_edges(TaskId(task)).size() + (i > 0 ? 1 : 0);
      if (i > 0) next[allocation.order[p][i - 1].index()] = static_cast<std::uint32_t>(task);
    }
  for (std::uint32_t task = 0; task < count; ++task)
    if (missing[task] == 0) order_.push_back(task);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::uint32_t task = order_[i];
    auto arrive = [&](std::size_t follower) {
      if (--missing[follower] == 0) order_.push_back(static_cast<std::uint32_t>(follower));
    };
    for (EdgeId out : graph.out_edges(TaskId(task))) arrive(graph.edge(out).to.index());
    if (next[task] < count) arrive(next[task]);
  }
  set_places();
}

logp::Allocation Arrangement::allocation(std::size_t processors) const {
  logp::Allocation result{std::vector<std::vector<TaskId>>(processors)};
  for (std::uint32_t task : order_) result.order[processor_of_[task]].emplace_back(task);
  return result;
}

bool Arrangement::try_move(const TaskGraph& graph, std::size_t processors, SearchRandom& random) {
  const auto task = static_cast<std::uint32_t>(random.below(order_.size()));
  switch (random.below(3)) {
    case 0: {
      const auto to = static_cast<std::uint32_t>(random.below(processors));
      if (to == processor_of_[task]) return false;
      put(task, to);
      if (random.below(2) == 0) shift(graph, task, random);
      return true;
    }
    case 1: {
      const auto other = static_cast<std::uint32_t>(random.below(order_.size()));
      const std::uint32_t from = processor_of_[task], to = processor_of_[other];
      if (from == to) return false;
      put(task, to);
      put(other, from);
      return true;
    }
    default:
      return shift(graph, task, random);
  }
}

bool Arrangement::shift(const TaskGraph& graph, std::uint32_t task, SearchRandom& random) {
  std::uint32_t first = 0, last = static_cast<std::uint32_t>(order_.size() - 1);
  for (EdgeId in : graph.in_edges(TaskId(task)))
    first = std::max(first, place_[graph.edge(in).from.index()] + 1);
  for (EdgeId out : graph.out_edges(TaskId(task)))
    last = std::min(last, place_[graph.edge(out).to.index()] - 1);
  const std::uint32_t from = place_[task];
  const std::uint32_t to = first + static_cast<std::uint32_t>(random.below(last - first + 1));
  if (to == from) return false;
  const auto begin = order_.begin();
  if (from < to)
    std::rotate(begin + from, begin + from + 1, begin + to + 1);
  else
    std::rotate(begin + to, begin + from, begin + from + 1);
  for (std::uint32_t i = std::min(from, to); i <= std::max(from, to); ++i) place_[order_[i]] = i;
  return true;
}

void Arrangement::put(std::uint32_t task, std::uint32_t processor) {
  if (bundles_ == nullptr) {
    processor_of_[task] = processor;
  } else {
    for (const std::uint32_t each : bundles_->with(task)) processor_of_[each] = processor;
  }
}

void Arrangement::set_places() {
  place_.resize(order_.size());
  for (std::uint32_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
}

logp::Allocation allocation_of(const Schedule& schedule) {
  logp::Allocation allocation{std::vector<std::vector<TaskId>>(schedule.processors.size())};
  for (std::size_t p = 0; p < schedule.processors.size(); ++p)
    for (const Operation& operation : schedule.processors[p])
      if (operation.kind == OperationKind::compute) allocation.order[p].push_back(operation.task());
  return allocation;
}

}  // namespace takt::schedulers
