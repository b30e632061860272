#include "tests/schedulers/frequency/oracle.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace takt::schedulers::oracle {

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

using Sequences = std::vector<std::vector<std::size_t>>;

/// Whether start times exist with which every processor is done within `period` of its start (Bellman-Ford).
bool fits(const TaskGraph& graph, const Sequences& sequences, std::int64_t period) {
  struct Constraint {
    std::size_t before, after;
    std::int64_t distance;
  };
  std::vector<Constraint> constraints;
  auto work = [&](std::size_t task) { return graph.task(TaskId(task)).work.count(); };
  for (EdgeId id : graph.edges()) {
    const std::size_t from = graph.edge(id).from.index(), to = graph.edge(id).to.index();
    constraints.push_back({from, to, work(from)});
  }
  for (const auto& sequence : sequences) {
    if (sequence.empty()) continue;
    for (std::size_t i = 0; i + 1 < sequence.size(); ++i)
      constraints.push_back({sequence[i], sequence[i + 1], work(sequence[i])});
    constraints.push_back({sequence.back(), sequence.front(), work(sequence.back()) - period});
  }
  std::vector<std::int64_t> start(graph.task_count(), 0);
  for (std::size_t round = 0; round <= graph.task_count(); ++round) {
    bool has_moved = false;
    for (const Constraint& constraint : constraints)
      if (start[constraint.after] < start[constraint.before] + constraint.distance) {
        start[constraint.after] = start[constraint.before] + constraint.distance;
        has_moved = true;
      }
    if (!has_moved) return true;
  }
  return false;
}

/// Calls visit(sequences) for every way to append the tasks in a topological order to the sequences.
template <class Visit>
void for_each_sequences(const TaskGraph& graph, Sequences& sequences, std::vector<bool>& is_placed,
                        std::size_t placed, std::set<std::pair<std::size_t, Sequences>>& seen,
                        const Visit& visit) {
  Sequences canonical = sequences;
  std::sort(canonical.begin(), canonical.end());
  if (!seen.insert({placed, canonical}).second) return;
  if (placed == graph.task_count()) return visit(sequences);
  for (TaskId task : graph.tasks()) {
    if (is_placed[task.index()]) continue;
    const auto in = graph.in_edges(task);
    if (!std::all_of(in.begin(), in.end(), [&](EdgeId e) { return is_placed[graph.edge(e).from.index()]; }))
      continue;
    is_placed[task.index()] = true;
    for (auto& sequence : sequences) {
      sequence.push_back(task.index());
      for_each_sequences(graph, sequences, is_placed, placed + 1, seen, visit);
      sequence.pop_back();
    }
    is_placed[task.index()] = false;
  }
}

/// Period of a chain of processors with the tasks of each, or nothing when data would move up the chain.
std::optional<std::int64_t> relay_period(const TaskGraph& graph, const logp::Machine& machine,
                                         const std::vector<ProcessorId>& chain,
                                         const std::vector<std::size_t>& place_of) {
  const std::size_t length = chain.size();
  std::vector<std::int64_t> load(length, 0);
  for (TaskId task : graph.tasks())
    load[place_of[task.index()]] += machine.duration(graph, task, chain[place_of[task.index()]]).count();
  std::int64_t period = 0;
  for (std::size_t boundary = 0; boundary + 1 < length; ++boundary) {
    std::set<DatumId> crossing;
    for (EdgeId id : graph.edges()) {
      const Edge& edge = graph.edge(id);
      const std::size_t from = place_of[edge.from.index()], to = place_of[edge.to.index()];
      if (from > to) return std::nullopt;
      if (from <= boundary && boundary < to) crossing.insert(edge.datum);
    }
    if (crossing.empty()) continue;
    Bytes size;
    for (DatumId datum : crossing) size += graph.datum_size(datum);
    const ProcessorId a = chain[boundary], b = chain[boundary + 1];
    load[boundary] += machine.send_overhead(a, b, size).count();
    load[boundary + 1] += machine.receive_overhead(a, b, size).count();
    period =
        std::max({period, machine.send_gap(a, b, size).count(), machine.receive_gap(a, b, size).count()});
  }
  for (std::int64_t occupied : load) period = std::max(period, occupied);
  return period;
}

}  // namespace

std::int64_t least_period_free(const TaskGraph& graph, std::size_t processors) {
  std::int64_t best = graph.total_work().count();
  Sequences sequences(processors);
  std::vector<bool> is_placed(graph.task_count());
  std::set<std::pair<std::size_t, Sequences>> seen;
  for_each_sequences(graph, sequences, is_placed, 0, seen, [&](const Sequences& complete) {
    while (best > 1 && fits(graph, complete, best - 1)) --best;
  });
  return best;
}

std::int64_t least_period_relay(const TaskGraph& graph, const logp::Machine& machine) {
  std::vector<ProcessorId> all;
  for (ProcessorId p : machine.processors()) all.push_back(p);
  std::int64_t best = never;
  // Every order of the processors; a chain of q of them is a prefix.
  do {
    for (std::size_t length = 1; length <= all.size(); ++length) {
      const std::vector<ProcessorId> chain(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(length));
      std::vector<std::size_t> place_of(graph.task_count(), 0);
      while (true) {
        std::set<std::size_t> used(place_of.begin(), place_of.end());
        if (used.size() == length)
          if (const auto period = relay_period(graph, machine, chain, place_of))
            best = std::min(best, *period);
        std::size_t digit = 0;
        while (digit < place_of.size() && ++place_of[digit] == length) place_of[digit++] = 0;
        if (digit == place_of.size()) break;
      }
    }
  } while (std::next_permutation(all.begin(), all.end()));
  return best;
}

std::int64_t least_period_of_order(const TaskGraph& graph, const logp::Machine& machine,
                                   const std::vector<TaskId>& order) {
  std::int64_t best = never;
  for (std::size_t length = 1; length <= machine.processor_count(); ++length) {
    std::vector<ProcessorId> chain;
    for (std::size_t p = 0; p < length; ++p) chain.emplace_back(p);
    std::vector<std::size_t> cuts(length - 1, 1);
    std::vector<std::size_t> place_of(graph.task_count());
    // Every non-decreasing list of cuts: a task's place is the number of cuts at or before its position.
    while (true) {
      if (std::is_sorted(cuts.begin(), cuts.end()) &&
          std::adjacent_find(cuts.begin(), cuts.end()) == cuts.end()) {
        for (std::size_t i = 0; i < order.size(); ++i)
          place_of[order[i].index()] =
              static_cast<std::size_t>(std::upper_bound(cuts.begin(), cuts.end(), i) - cuts.begin());
        if (const auto period = relay_period(graph, machine, chain, place_of)) best = std::min(best, *period);
      }
      std::size_t digit = 0;
      while (digit < cuts.size() && ++cuts[digit] >= order.size()) cuts[digit++] = 1;
      if (digit == cuts.size()) break;
    }
  }
  return best;
}

TaskGraph random_graph(Random& random, std::size_t tasks, std::uint64_t edge_percent, std::int64_t most_work,
                       std::int64_t most_data) {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < tasks; ++i)
    builder.add_task({.name = std::to_string(i), .work = Time(random.between(1, most_work))});
  for (std::size_t i = 0; i < tasks; ++i) {
    std::optional<DatumId> shared;
    for (std::size_t j = i + 1; j < tasks; ++j) {
      if (random.below(100) >= edge_percent) continue;
      const Bytes size{static_cast<std::uint64_t>(random.between(1, most_data))};
      if (!shared || random.below(2) == 0) shared = builder.add_datum(TaskId(i), size);
      builder.add_edge(*shared, TaskId(j));
    }
  }
  return std::move(builder).build();
}

TaskGraph with_some_stateless(const TaskGraph& graph, Random& random) {
  TaskGraphBuilder builder;
  for (TaskId task : graph.tasks()) {
    Task copy = graph.task(task);
    copy.stateless = random.below(2) == 0;
    builder.add_task(copy);
  }
  for (DatumId datum : ids<DatumId>(graph.datum_count()))
    builder.add_datum(graph.datum_task(datum), graph.datum_size(datum));
  for (EdgeId edge : graph.edges()) builder.add_edge(graph.edge(edge).datum, graph.edge(edge).to);
  return std::move(builder).build();
}

}  // namespace takt::schedulers::oracle
