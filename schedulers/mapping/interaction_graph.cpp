#include "schedulers/mapping/interaction_graph.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "schedulers/delay/assignment.hpp"
#include "schedulers/delay/timetable.hpp"

namespace takt::schedulers {

InteractionGraph::InteractionGraph(const TaskGraph& graph, const logp::Machine& machine)
    : model_(graph, machine) {
  for (TaskId task : graph.tasks()) {
    for (EdgeId edge : graph.in_edges(task)) interactions_.push_back({graph.edge(edge).from, edge, false});
    for (EdgeId edge : graph.out_edges(task)) interactions_.push_back({graph.edge(edge).to, edge, true});
    first_.push_back(interactions_.size());
  }
  if (!machine.platform().network.empty()) find_routes(machine);

  // Few pairs of processors differ in the cost of an exchange: one of each kind suffices.
  std::vector<std::pair<ProcessorId, ProcessorId>> pairs;
  std::vector<double> counts;
  for (ProcessorId a : processors())
    for (ProcessorId b : processors()) {
      if (a == b) continue;
      auto alike = [&](const std::pair<ProcessorId, ProcessorId>& other) {
        return machine.kind(a, b) == machine.kind(other.first, other.second) &&
               (ways_.empty() || way(a, b) == way(other.first, other.second));
      };
      const auto kind = std::find_if(pairs.begin(), pairs.end(), alike);
      if (kind == pairs.end()) {
        pairs.emplace_back(a, b);
        counts.push_back(1);
      } else {
        ++counts[static_cast<std::size_t>(kind - pairs.begin())];
      }
    }
  for (EdgeId edge : graph.edges()) {
    Time least = pairs.empty() ? Time{0} : Time::max();
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const Time time = exchange(edge, pairs[i].first, pairs[i].second);
      least = std::min(least, time);
      sum += counts[i] * static_cast<double>(time.count());
      count += counts[i];
    }
    least_.push_back(least);
    mean_.emplace_back(count > 0 ? std::llround(sum / count) : 0);
  }
}

void InteractionGraph::find_routes(const logp::Machine& machine) {
  const Platform& platform = machine.platform();
  const Routes routes(platform.network);
  for (ProcessorId a : processors())
    for (ProcessorId b : processors()) {
      PlacementKind& way = ways_.emplace_back();
      for (LinkId link :
           routes.route(NodeId(platform.node_of[a.index()]), NodeId(platform.node_of[b.index()]))) {
        ++way.links;
        const auto& [from, to, latency, per_byte] = platform.network.link(link);
        way.latency = platform.network.has_circuits ? std::max(way.latency, latency) : way.latency + latency;
        way.per_byte =
            platform.network.has_circuits ? std::max(way.per_byte, per_byte) : way.per_byte + per_byte;
      }
    }
}

Time InteractionGraph::exchange(EdgeId id, ProcessorId from, ProcessorId to) const {
  if (from == to) return Time{0};
  if (ways_.empty() || way(from, to).links == 0) return model_.delay(id, from, to);
  const auto size = static_cast<double>(model_.graph().edge(id).size.count);
  return Time(std::llround(way(from, to).latency + way(from, to).per_byte * size));
}

Mapping::Mapping(const InteractionGraph& graph, std::vector<ProcessorId> processor_of)
    : graph_(&graph), processor_of_(std::move(processor_of)), load_(graph.processor_count(), Time{0}) {
  for (TaskId task : graph.tasks()) {
    const ProcessorId home = processor(task);
    Time& load = load_[home.index()];
    load += graph.model().duration(task, home);
    for (const auto& interaction : graph.interactions(task))
      load += graph.exchange(interaction, home, processor(interaction.other));
  }
}

MappingCost Mapping::cost() const {
  MappingCost cost;
  for (Time load : load_) {
    cost.largest = std::max(cost.largest, load);
    cost.total += load;
  }
  return cost;
}

MappingCost mapping_cost(const TaskGraph& graph, const logp::Machine& machine, const Schedule& schedule) {
  std::vector<ProcessorId> processor_of(graph.task_count());
  for (ProcessorId p : machine.processors())
    for (const Operation& operation : schedule.processors[p.index()])
      if (operation.kind == OperationKind::compute) processor_of[operation.task().index()] = p;
  const InteractionGraph interactions(graph, machine);
  return Mapping(interactions, std::move(processor_of)).cost();
}

ProcessorId Mapping::least_loaded() const {
  return ProcessorId(static_cast<std::size_t>(std::min_element(load_.begin(), load_.end()) - load_.begin()));
}

void Mapping::move(TaskId task, ProcessorId to) {
  const ProcessorId from = processor(task);
  if (from == to) return;
  Time &left = load_[from.index()], &entered = load_[to.index()];
  for (const auto& interaction : graph_->interactions(task)) {
    const ProcessorId there = processor(interaction.other);
    const Time before = graph_->exchange(interaction, from, there),
               after = graph_->exchange(interaction, to, there);
    left -= before;
    load_[there.index()] += after - before;
    entered += after;
  }
  left -= graph_->model().duration(task, from);
  entered += graph_->model().duration(task, to);
  processor_of_[task.index()] = to;
}

void improve(const InteractionGraph& graph, Mapping& mapping, std::size_t rounds) {
  MappingCost cost = mapping.cost();
  for (std::size_t round = 0; round < rounds; ++round) {
    const MappingCost before = cost;
    for (TaskId task : graph.tasks()) {
      ProcessorId best = mapping.processor(task);
      auto consider = [&](ProcessorId p) {
        mapping.move(task, p);
        if (const MappingCost its = mapping.cost(); its < cost) {
          cost = its;
          best = p;
        }
      };
      consider(mapping.least_loaded());
      for (const auto& interaction : graph.interactions(task)) consider(mapping.processor(interaction.other));
      mapping.move(task, best);
    }
    if (cost == before) return;
  }
}

namespace {

/// Text of the largest load with the task on its own processor, and on each of the others.
std::string loads_to_text(const InteractionGraph& graph, const std::vector<ProcessorId>& processor_of,
                          TaskId task) {
  constexpr std::size_t most = 8;
  Mapping mapping(graph, processor_of);
  std::string text = fmt::format("largest load {}; elsewhere", mapping.cost().largest.count());
  std::size_t others = 0;
  for (ProcessorId p : graph.processors()) {
    if (p == processor_of[task.index()] || ++others > most) continue;
    mapping.move(task, p);
    text += fmt::format("{} P{} {}", others > 1 ? "," : "", p.index(), mapping.cost().largest.count());
  }
  if (others == 0) return text + " nothing";
  return others > most ? text + fmt::format(" +{}", others - most) : text;
}

}  // namespace

Schedule schedule_of(std::string_view scheduler, const InteractionGraph& graph, const logp::Machine& machine,
                     const std::vector<ProcessorId>& processor_of, const Options& options) {
  Schedule schedule = timed(scheduler, graph.model().graph(), machine,
                            place_assigned(graph.model(), processor_of, options.trace, [&](TaskId task) {
                              return loads_to_text(graph, processor_of, task);
                            }));
  if (graph.model().graph().is_undirected())
    schedule.least_repetition =
        std::max(schedule.least_repetition, Mapping(graph, processor_of).cost().largest);
  return schedule;
}

}  // namespace takt::schedulers
