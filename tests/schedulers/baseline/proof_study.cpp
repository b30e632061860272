#include "tests/schedulers/baseline/proof_study.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {

namespace {

Edges reversed(Edges edges, std::size_t tasks) {
  for (auto& [from, to] : edges) from = tasks - 1 - std::exchange(to, tasks - 1 - from);
  return edges;
}

Edges balanced_tree(std::size_t tasks, Random& /*draw*/) {
  Edges edges;
  for (std::size_t i = 1; i < tasks; ++i) edges.emplace_back((i - 1) / 3, i);
  return edges;
}

Edges unbalanced_tree(std::size_t tasks, Random& draw) {
  Edges edges;
  for (std::size_t i = 1; i < tasks; ++i)
    edges.emplace_back(i - 1 - draw.below(std::min<std::size_t>(i, 4)), i);
  return edges;
}

Edges balanced_in_tree(std::size_t tasks, Random& draw) {
  return reversed(balanced_tree(tasks, draw), tasks);
}

Edges unbalanced_in_tree(std::size_t tasks, Random& draw) {
  return reversed(unbalanced_tree(tasks, draw), tasks);
}

Edges fork(std::size_t tasks, Random& /*draw*/) {
  Edges edges;
  for (std::size_t i = 1; i < tasks; ++i) edges.emplace_back(0, i);
  return edges;
}

Edges join(std::size_t tasks, Random& draw) {
  return reversed(fork(tasks, draw), tasks);
}

Edges fork_join(std::size_t tasks, Random& /*draw*/) {
  Edges edges;
  for (std::size_t i = 1; i + 1 < tasks; ++i) {
    edges.emplace_back(0, i);
    edges.emplace_back(i, tasks - 1);
  }
  return edges;
}

/// In a topological order: task i of the result is the i-th of that order.
Edges in_order(const Edges& edges, std::size_t tasks) {
  std::vector<std::size_t> open(tasks, 0), number(tasks, 0), ready;
  for (const auto& [from, to] : edges) ++open[to];
  for (std::size_t i = 0; i < tasks; ++i)
    if (open[i] == 0) ready.push_back(i);
  for (std::size_t done = 0; done < ready.size(); ++done) {
    number[ready[done]] = done;
    for (const auto& [from, to] : edges)
      if (from == ready[done] && --open[to] == 0) ready.push_back(to);
  }
  Edges result;
  for (const auto& [from, to] : edges) result.emplace_back(number[from], number[to]);
  return result;
}

/// Each new task divides an edge, or is added in parallel.
Edges series_parallel(std::size_t tasks, Random& draw) {
  Edges edges{{0, 1}};
  for (std::size_t task = 2; task < tasks; ++task) {
    const std::size_t at = draw.below(edges.size());
    const auto [from, to] = edges[at];
    if (draw.below(3) == 0) edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(at));
    edges.emplace_back(from, task);
    edges.emplace_back(task, to);
  }
  return in_order(edges, tasks);
}

Edges grid(std::size_t tasks, Random& /*draw*/) {
  const auto width = static_cast<std::size_t>(std::sqrt(static_cast<double>(tasks)));
  Edges edges;
  for (std::size_t i = 0; i < tasks; ++i) {
    if (i % width + 1 < width && i + 1 < tasks) edges.emplace_back(i, i + 1);
    if (i + width < tasks) edges.emplace_back(i, i + width);
  }
  return edges;
}

/// Layers of four tasks, each with one or two parents of the previous layer.
Edges layers(std::size_t tasks, Random& draw) {
  constexpr std::size_t width = 4;
  std::set<std::pair<std::size_t, std::size_t>> edges;
  for (std::size_t i = width; i < tasks; ++i)
    for (int k = 0; k < 2; ++k) edges.emplace((i / width - 1) * width + draw.below(width), i);
  return {edges.begin(), edges.end()};
}

Edges random_edges(std::size_t tasks, std::size_t count, Random& draw) {
  std::set<std::pair<std::size_t, std::size_t>> edges;
  while (edges.size() < std::min(count, tasks * (tasks - 1) / 2)) {
    const std::size_t a = draw.below(tasks), b = draw.below(tasks);
    if (a != b) edges.emplace(std::min(a, b), std::max(a, b));
  }
  return {edges.begin(), edges.end()};
}

Edges sparse(std::size_t tasks, Random& draw) {
  return random_edges(tasks, 2 * tasks, draw);
}

Edges dense(std::size_t tasks, Random& draw) {
  return random_edges(tasks, tasks * 9 / 2, draw);
}

constexpr std::array kinds{ProofKind{"tree to the leaves, balanced", balanced_tree},
                           ProofKind{"tree to the leaves", unbalanced_tree},
                           ProofKind{"tree to the root, balanced", balanced_in_tree},
                           ProofKind{"tree to the root", unbalanced_in_tree},
                           ProofKind{"fork", fork},
                           ProofKind{"join", join},
                           ProofKind{"fork that is joined", fork_join},
                           ProofKind{"series and parallel", series_parallel},
                           ProofKind{"grid", grid},
                           ProofKind{"layers", layers},
                           ProofKind{"random, 2 edges a task", sparse},
                           ProofKind{"random, 4.5 edges a task", dense}};

/// By the shortest schedule of the schedulers for the makespan without a proof.
Time best_of_others(const TaskGraph& graph, const logp::Machine& machine) {
  Time best = Time::max();
  for (const Scheduler& scheduler : all_schedulers())
    if (scheduler.traits.made_for == Objective::makespan && !scheduler.traits.proves)
      best = std::min(best, measure(scheduler.schedule(graph, machine, {})).makespan);
  return best;
}

double excess(Time length, Time bound) {
  return static_cast<double>(length.count()) / static_cast<double>(bound.count()) - 1;
}

}  // namespace

std::span<const ProofKind> proof_kinds() {
  return kinds;
}

ProofCase proof_case(const ProofKind& kind, std::size_t tasks, double ratio, std::uint64_t seed) {
  Random draw(seed * 1'000'000 + tasks * 1000 + static_cast<std::uint64_t>(ratio * 10),
              static_cast<std::uint32_t>(&kind - kinds.data()));
  const Edges edges = kind.edges(tasks, draw);
  TaskGraphBuilder builder;
  double work = 0, data = 0;
  for (std::size_t i = 0; i < tasks; ++i) {
    const auto ticks = static_cast<Time::rep>(10 * draw.between(1, 10));
    work += static_cast<double>(ticks);
    (void)builder.add_task({fmt::format("t{}", i), Time{ticks}});
  }
  std::vector<double> sizes;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    sizes.push_back(static_cast<double>(draw.between(1, 10)));
    data += sizes.back();
  }
  for (std::size_t i = 0; i < edges.size(); ++i)
    builder.add_edge(
        TaskId(edges[i].first), TaskId(edges[i].second),
        Bytes{static_cast<std::uint64_t>(std::max(1.0, std::round(sizes[i] * ratio * work / data)))});
  return {std::move(builder).build(), std::size_t{2} << draw.below(3)};
}

void ProofFigures::add(const ProofFigures& other) {
  graphs += other.graphs;
  proven += other.proven;
  exact_excess += other.exact_excess;
  others_excess += other.others_excess;
}

std::string ProofFigures::line(std::string_view name) const {
  const auto mean = [&](double sum) { return 100 * sum / static_cast<double>(graphs); };
  return fmt::format("| {} | {} | {} | {:.2f} % | {:.2f} % |", name, graphs, proven, mean(exact_excess),
                     mean(others_excess));
}

ProofFigures prove(const ProofCase& what) {
  const logp::Machine machine = logp::Machine::delay(what.processors);
  const Schedule made = find_scheduler("exact_makespan").schedule(what.graph, machine, {});
  const Time length = measure(made).makespan, bound = made.makespan_bound.value();
  return {1, length == bound ? std::size_t{1} : 0, excess(length, bound),
          excess(best_of_others(what.graph, machine), bound)};
}

}  // namespace takt::schedulers
