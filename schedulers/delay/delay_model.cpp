#include "schedulers/delay/delay_model.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <ranges>

#include "logp/message_costs.hpp"

namespace takt::schedulers {

namespace {

/// Returns the longest paths to an exit, in mean durations; `with_delays` includes the edges.
std::vector<Time> longest_to_exit(const DelayModel& model, bool with_delays) {
  const TaskGraph& graph = model.graph();
  std::vector<Time> level(graph.task_count(), Time{0});
  for (TaskId task : std::views::reverse(graph.topological_order())) {
    Time below{0};
    for (EdgeId edge : graph.out_edges(task)) {
      const Time delay = with_delays ? model.mean_delay(edge) : Time{0};
      below = std::max(below, delay + level[graph.edge(edge).to.index()]);
    }
    level[task.index()] = model.mean_duration(task) + below;
  }
  return level;
}

Time delay_of(const logp::LinkCosts& costs, Bytes size) {
  return logp::MessageCosts(costs, size).delay();
}

}  // namespace

DelayModel::DelayModel(const TaskGraph& graph, const logp::Machine& machine)
    : graph_(&graph), machine_(&machine) {
  add_durations(machine);
  add_delays(machine);
  const auto parts_of_durations = static_cast<std::int64_t>(row_sizes_.size() == 1 ? 1 : processor_count());
  parts_of_tick_ = std::lcm(parts_of_durations, pair_count_);
  if (row_sizes_.size() > 1)
    for (TaskId task : graph.tasks()) mean_durations_.push_back(rounded(exact_mean_duration(task)));
  if (!uniform_delays())
    for (EdgeId edge : graph.edges()) mean_delays_.push_back(rounded(exact_mean_delay(edge)));
}

void DelayModel::add_durations(const logp::Machine& machine) {
  std::map<double, std::size_t> row_of_speed;
  for (ProcessorId p : machine.processors()) {
    // With a table of works each processor may have durations of its own.
    std::size_t row = row_sizes_.size();
    if (!graph_->has_work_table())
      row = row_of_speed.try_emplace(machine.platform().speeds[p.index()], row).first->second;
    if (row == row_sizes_.size()) {
      row_sizes_.push_back(0);
      if (row == 0) durations_.reserve(graph_->task_count());
      for (TaskId task : graph_->tasks()) durations_.push_back(machine.duration(*graph_, task, p));
    }
    ++row_sizes_[row];
    row_of_.push_back(row);
  }
}

void DelayModel::add_delays(const logp::Machine& machine) {
  auto add_row = [&](const logp::LinkCosts& costs, double pair_count) {
    pair_counts_.push_back(static_cast<std::int64_t>(pair_count));
    if (delays_.empty()) delays_.reserve(graph_->edge_count());
    for (EdgeId edge : graph_->edges()) delays_.push_back(delay_of(costs, graph_->edge(edge).size));
  };
  auto occurring = machine.occurring_costs();
  // A machine of one processor has no pair; no caller requests a delay between two.
  const logp::LinkCosts first = occurring.empty() ? logp::LinkCosts{} : occurring.front();
  if (std::ranges::all_of(occurring, [&](const logp::LinkCosts& costs) { return costs == first; })) {
    add_row(first, 1);
    return;
  }
  for (const auto& [costs, pairs] : machine.kinds()) {
    row_of_kind_.push_back(pair_counts_.size());
    if (pairs > 0) add_row(costs, pairs);
  }
  pair_count_ = std::accumulate(pair_counts_.begin(), pair_counts_.end(), std::int64_t{0});
}

DelayModel DelayModel::averaged(std::size_t count) const {
  DelayModel model;
  model.graph_ = graph_;
  model.row_of_.assign(count, 0);
  model.row_sizes_ = {count};
  model.durations_.reserve(graph_->task_count());
  for (TaskId task : graph_->tasks()) model.durations_.push_back(mean_duration(task));
  model.pair_counts_ = {1};
  model.delays_.reserve(graph_->edge_count());
  for (EdgeId edge : graph_->edges()) model.delays_.push_back(mean_delay(edge));
  return model;
}

Parts DelayModel::exact_mean_duration(TaskId task) const {
  if (row_sizes_.size() == 1) return Parts{parts_of_tick_} * durations_[task.index()].count();
  Parts sum = 0;
  for (std::size_t row = 0; row < row_sizes_.size(); ++row)
    sum += Parts{durations_[row * graph_->task_count() + task.index()].count()} *
           static_cast<std::int64_t>(row_sizes_[row]);
  return sum * (parts_of_tick_ / static_cast<std::int64_t>(processor_count()));
}

Parts DelayModel::exact_mean_delay(EdgeId edge) const {
  if (uniform_delays()) return Parts{parts_of_tick_} * delays_[edge.index()].count();
  Parts sum = 0;
  for (std::size_t row = 0; row < pair_counts_.size(); ++row)
    sum += Parts{delays_[row * graph_->edge_count() + edge.index()].count()} * pair_counts_[row];
  return sum * (parts_of_tick_ / pair_count_);
}

Time DelayModel::rounded(Parts parts) const {
  return Time(static_cast<Time::rep>((2 * parts + parts_of_tick_) / (2 * parts_of_tick_)));
}

std::vector<Time> b_levels(const DelayModel& model) {
  return longest_to_exit(model, true);
}

std::vector<Time> static_levels(const DelayModel& model) {
  return longest_to_exit(model, false);
}

std::vector<Time> t_levels(const DelayModel& model) {
  const TaskGraph& graph = model.graph();
  std::vector<Time> level(graph.task_count(), Time{0});
  for (TaskId task : graph.topological_order()) {
    const Time end = level[task.index()] + model.mean_duration(task);
    for (EdgeId edge : graph.out_edges(task)) {
      Time& below = level[graph.edge(edge).to.index()];
      below = std::max(below, end + model.mean_delay(edge));
    }
  }
  return level;
}

}  // namespace takt::schedulers
