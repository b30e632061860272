#include "schedulers/bounds/replication_bound.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "schedulers/bounds/least_cost.hpp"

namespace takt::schedulers {

namespace {

// Products of two sums of times.
__extension__ typedef __int128 Wide;

/// At most the quotient, and exactly that where numbers allow.
Period fraction(Wide over, Wide under) {
  Wide a = over, b = under;
  while (b != 0) a = std::exchange(b, a % b);
  over /= a;
  under /= a;
  constexpr Wide most_frames = 1 << 20;
  if (under > most_frames) {
    // Rounded down, a bound stays a bound.
    over = over * most_frames / under;
    under = most_frames;
  }
  return {Time(static_cast<Time::rep>(over)), static_cast<std::uint32_t>(under)};
}

/// The least time of a task on any processor.
Time least_time(const TaskGraph& graph, const logp::Machine& machine, TaskId task) {
  if (!graph.has_work_table()) {
    const std::vector<double>& speeds = machine.platform().speeds;
    const auto fastest = std::max_element(speeds.begin(), speeds.end()) - speeds.begin();
    return machine.duration(graph, task, ProcessorId(static_cast<std::size_t>(fastest)));
  }
  Time least = Time::max();
  for (ProcessorId p : machine.processors()) least = std::min(least, machine.duration(graph, task, p));
  return least;
}

bool has_equal_processors(const TaskGraph& graph, const logp::Machine& machine) {
  const std::vector<double>& speeds = machine.platform().speeds;
  return !graph.has_work_table() &&
         std::all_of(speeds.begin(), speeds.end(), [&](double speed) { return speed == speeds.front(); });
}

/// The work over what the fastest processors do together.
Period shared_work(const TaskGraph& graph, const logp::Machine& machine, std::size_t used, Time work) {
  if (graph.has_work_table() || has_equal_processors(graph, machine)) return fraction(work.count(), used);
  std::vector<double> speeds = machine.platform().speeds;
  std::ranges::sort(speeds, std::greater{});
  const double speed =
      std::accumulate(speeds.begin(), speeds.begin() + static_cast<std::ptrdiff_t>(used), 0.0);
  // Speeds are decimal numbers of few digits, nearly always: then the quotient is exact.
  constexpr double digits = 1000, tolerance = 1e-12;
  const double scaled = std::round(speed * digits);
  const auto total = static_cast<Wide>(graph.total_work().count());
  if (std::abs(speed * digits - scaled) <= scaled * tolerance)
    return fraction(total * static_cast<Wide>(digits), static_cast<Wide>(scaled));
  return fraction(total * static_cast<Wide>(digits), static_cast<Wide>(scaled) + 1);
}

/// What a message of the graph costs at least: at both ends together, and at the cheaper one.
struct LeastOverheads {
  Time both{0}, one{0};
};

LeastOverheads least_overheads(const TaskGraph& graph, const logp::Machine& machine) {
  Bytes smallest{std::numeric_limits<std::uint64_t>::max()};
  for (EdgeId edge : graph.edges()) smallest = std::min(smallest, graph.edge(edge).size);
  std::optional<LeastOverheads> least;
  for (const logp::LinkCosts& costs : machine.occurring_costs()) {
    const Time send = least_cost(costs.send_overhead, smallest);
    const Time receive = least_cost(costs.receive_overhead, smallest);
    if (!least) least = LeastOverheads{send + receive, std::min(send, receive)};
    least = {std::min(least->both, send + receive), std::min({least->one, send, receive})};
  }
  return graph.edge_count() > 0 ? least.value_or(LeastOverheads{}) : LeastOverheads{};
}

/// For each task the first one of its weakly connected part.
std::vector<std::size_t> connected_parts(const TaskGraph& graph) {
  std::vector<std::size_t> part(graph.task_count(), graph.task_count());
  std::vector<TaskId> open;
  for (TaskId first : graph.tasks()) {
    auto reach = [&](TaskId task) {
      if (part[task.index()] != graph.task_count()) return;
      part[task.index()] = first.index();
      open.push_back(task);
    };
    reach(first);
    while (!open.empty()) {
      const TaskId task = open.back();
      open.pop_back();
      for (EdgeId in : graph.in_edges(task)) reach(graph.edge(in).from);
      for (EdgeId out : graph.out_edges(task)) reach(graph.edge(out).to);
    }
  }
  return part;
}

/// What a processor with a task s that has state can do. Of the frames, let a share y have some task of s's
/// weakly connected part elsewhere. For each of these the processor runs s at least and sends or receives a
/// message (o_end); for every other one it runs the whole part:
///
///   period >= part - y (part - s - o_end).
///
/// All processors together do the whole work, and for a share y a message with both its ends (o_both):
///
///   period >= (work + y o_both) / P.
///
/// The one falls with y, the other one grows: the bound is where they meet, or at y = 0 or y = 1.
Period fused_or_moved(Time whole, Time part, Time task, const LeastOverheads& least, std::size_t processors) {
  const Wide work = whole.count(), fused = part.count(), both = least.both.count();
  const auto count = static_cast<Wide>(processors);
  const Wide saved = fused - task.count() - least.one.count();
  if (saved <= 0) return fraction(std::max(work, fused * count), count);
  if (fused * count <= work) return fraction(work, count);
  // y = (P part - work) / (o_both + P saved)
  if (fused * count - work >= both + count * saved) return fraction(fused - saved, 1);
  return fraction(work * saved + both * fused, both + count * saved);
}

}  // namespace

bool can_replicate(const TaskGraph& graph, const logp::Machine& machine) {
  return machine.processor_count() > 1 &&
         std::ranges::any_of(graph.tasks(), [&](TaskId task) { return graph.task(task).stateless; });
}

ReplicationBound replication_bound(const TaskGraph& graph, const logp::Machine& machine) {
  return replication_bound(graph, machine, machine.processor_count());
}

ReplicationBound replication_bound(const TaskGraph& graph, const logp::Machine& machine, std::size_t used) {
  Time work{0};
  for (TaskId task : graph.tasks()) work += least_time(graph, machine, task);
  ReplicationBound best{shared_work(graph, machine, used, work), "the whole work shared out evenly"};
  auto raise = [&](const Period& period, std::string_view reason) {
    if (period > best.period) best = {period, reason};
  };

  const std::vector<std::size_t> parts = connected_parts(graph);
  std::vector<Time> part_work(graph.task_count()), largest(graph.task_count(), Time{-1});
  for (TaskId task : graph.tasks()) {
    const Time time = least_time(graph, machine, task);
    const std::size_t part = parts[task.index()];
    part_work[part] += time;
    if (!graph.task(task).stateless) largest[part] = std::max(largest[part], time);
  }
  const LeastOverheads least = least_overheads(graph, machine);
  for (std::size_t part = 0; part < largest.size(); ++part) {
    if (largest[part] < Time{0}) continue;
    raise({largest[part], 1}, "a task with state, which sees every frame");
    if (has_equal_processors(graph, machine))
      raise(fused_or_moved(work, part_work[part], largest[part], least, used),
            "taking frames to other processors costs messages");
  }
  return best;
}

void add_replication_bound(const TaskGraph& graph, const logp::Machine& machine, Schedule& schedule) {
  const Period bound = replication_bound(graph, machine).period;
  schedule.period_bound = bound.time_of(schedule.replicas);
  schedule.optimal = measure(schedule).exact_period() == bound;
}

}  // namespace takt::schedulers
