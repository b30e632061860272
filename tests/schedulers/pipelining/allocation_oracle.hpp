#pragma once
/// The least period of pipelined schedules by brute force. Shares no code with the schedulers.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// The least over all allocations of the largest load: a processor's tasks and its sends and receives of each
/// datum for each other processor, which take the size of the datum each.
inline Time least_largest_load(const TaskGraph& graph, const logp::Machine& machine, bool messages_cost) {
  const std::size_t tasks = graph.task_count(), processors = machine.processor_count();
  std::vector<std::size_t> at(tasks, 0);
  Time best = Time::max();
  for (;;) {
    std::vector<Time> load(processors, Time{0});
    for (TaskId task : graph.tasks())
      load[at[task.index()]] += machine.duration(graph, task, ProcessorId(at[task.index()]));
    std::set<std::pair<DatumId, std::size_t>> sent;
    for (EdgeId id : graph.edges()) {
      const auto [from, to, size, datum] = graph.edge(id);
      const std::size_t sender = at[from.index()], receiver = at[to.index()];
      if (!messages_cost || sender == receiver || !sent.emplace(datum, receiver).second) continue;
      load[sender] += Time(static_cast<Time::rep>(size.count));
      load[receiver] += Time(static_cast<Time::rep>(size.count));
    }
    best = std::min(best, *std::ranges::max_element(load));
    std::size_t i = 0;
    while (i < tasks && ++at[i] == processors) at[i++] = 0;
    if (i == tasks) return best;
  }
}

/// Searches an allocation to equal processors with a largest load below `limit`, for the same loads; nothing
/// when there is none. Branch and bound over the tasks in topological order, for graphs of up to some twenty
/// tasks: loads only grow, and unused processors are interchangeable. Throws after `most_steps`.
class AllocationSearch {
 public:
  AllocationSearch(const TaskGraph& graph, const logp::Machine& machine, bool messages_cost,
                   std::uint64_t most_steps)
      : graph_(graph),
        machine_(machine),
        messages_cost_(messages_cost),
        steps_(most_steps),
        order_(graph.topological_order().begin(), graph.topological_order().end()),
        at_(graph.task_count(), 0),
        load_(machine.processor_count(), Time{0}) {
    for (TaskId task : order_) left_ += machine.duration(graph, task, ProcessorId(0));
  }

  [[nodiscard]] std::optional<Time> below(Time limit) {
    limit_ = limit;
    best_.reset();
    place(0, 0);
    return best_;
  }

 private:
  void place(std::size_t depth, std::size_t used) {
    if (steps_-- == 0) throw std::runtime_error("the search of the oracle is too long");
    if (depth == order_.size()) {
      best_ = limit_ = *std::ranges::max_element(load_);
      return;
    }
    Time room{0};
    for (const Time load : load_) room += limit_ - Time{1} - load;
    if (room < left_) return;
    const TaskId task = order_[depth];
    const Time work = machine_.duration(graph_, task, ProcessorId(0));
    for (std::size_t p = 0; p < std::min(used + 1, load_.size()); ++p) {
      const std::vector<Time> before = load_;
      at_[task.index()] = p;
      load_[p] += work;
      if (messages_cost_) receive(task, p);
      left_ -= work;
      if (*std::ranges::max_element(load_) < limit_) place(depth + 1, std::max(used, p + 1));
      left_ += work;
      load_ = before;
    }
  }

  /// Adds the messages to `task`, except data that an earlier task of its processor has received.
  void receive(TaskId task, std::size_t p) {
    std::set<DatumId> received;
    for (EdgeId id : graph_.in_edges(task)) {
      const auto [from, to, size, datum] = graph_.edge(id);
      if (at_[from.index()] == p || !received.insert(datum).second || is_there(datum, task, p)) continue;
      load_[at_[from.index()]] += Time(static_cast<Time::rep>(size.count));
      load_[p] += Time(static_cast<Time::rep>(size.count));
    }
  }
  [[nodiscard]] bool is_there(DatumId datum, TaskId before, std::size_t p) const {
    for (TaskId earlier : order_) {
      if (earlier == before) return false;
      if (at_[earlier.index()] != p) continue;
      for (EdgeId id : graph_.in_edges(earlier))
        if (graph_.edge(id).datum == datum) return true;
    }
    return false;
  }

  const TaskGraph& graph_;
  const logp::Machine& machine_;
  bool messages_cost_;
  std::uint64_t steps_;
  std::vector<TaskId> order_;
  std::vector<std::size_t> at_;
  std::vector<Time> load_;
  Time left_{0}, limit_{0};
  std::optional<Time> best_;
};

}  // namespace takt::schedulers
