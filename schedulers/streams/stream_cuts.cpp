#include "schedulers/streams/stream_cuts.hpp"

#include <algorithm>
#include <limits>

#include "schedulers/search/topological_order.hpp"

namespace takt::schedulers {

namespace {

constexpr OrderRule rules[] = {OrderRule::layer, OrderRule::depth_first, OrderRule::least_live,
                               OrderRule::b_level};

struct Crossing {
  Bytes size;
  bool is_empty = true;
};

/// Returns the crossing data of every boundary of the order. O(n + m).
std::vector<Crossing> crossings(const TaskGraph& graph, std::span<const TaskId> order) {
  std::vector<std::size_t> place(graph.task_count()), last_need(graph.datum_count(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i].index()] = i;
  for (EdgeId id : graph.edges()) {
    std::size_t& last = last_need[graph.edge(id).datum.index()];
    last = std::max(last, place[graph.edge(id).to.index()]);
  }
  // Data that cross from a boundary on, and data that no longer cross.
  struct Change {
    std::size_t begin = 0, end = 0;
    std::uint64_t begin_size = 0, end_size = 0;
  };
  std::vector<Change> changes(order.size() + 1);
  for (DatumId datum : ids<DatumId>(graph.datum_count())) {
    const std::size_t made = place[graph.datum_task(datum).index()], last = last_need[datum.index()];
    if (last <= made) continue;
    const std::uint64_t size = graph.datum_size(datum).count;
    ++changes[made + 1].begin;
    changes[made + 1].begin_size += size;
    ++changes[last + 1].end;
    changes[last + 1].end_size += size;
  }
  std::vector<Crossing> result(order.size() + 1);
  std::size_t count = 0;
  std::uint64_t size = 0;
  for (std::size_t b = 0; b < result.size(); ++b) {
    count += changes[b].begin - changes[b].end;
    size += changes[b].begin_size - changes[b].end_size;
    result[b] = {Bytes{size}, count == 0};
  }
  return result;
}

/// Dynamic programming: the least maximum share with which pieces cover the order up to a boundary.
std::optional<StreamCut> best_cut(const TaskGraph& graph, const logp::Machine& machine,
                                  std::vector<TaskId> order, std::span<const ProcessorId> chain,
                                  std::span<const Time> free) {
  constexpr double never = std::numeric_limits<double>::infinity();
  const std::size_t n = order.size(), pieces = chain.size();
  const std::vector<Crossing> across = crossings(graph, order);
  std::vector<std::vector<double>> share(pieces + 1, std::vector<double>(n + 1, never));
  std::vector<std::vector<std::size_t>> before(pieces + 1, std::vector<std::size_t>(n + 1, 0));
  share[0][0] = 0;
  for (std::size_t k = 0; k < pieces; ++k) {
    std::vector<Time> work(n + 1, Time{0});
    for (std::size_t i = 0; i < n; ++i) work[i + 1] = work[i] + machine.duration(graph, order[i], chain[k]);
    const auto receive = [&](std::size_t b) {
      return across[b].is_empty || k == 0 ? Time{0}
                                          : machine.receive_overhead(chain[k - 1], chain[k], across[b].size);
    };
    const auto send = [&](std::size_t b) {
      return across[b].is_empty || k + 1 == pieces
                 ? Time{0}
                 : machine.send_overhead(chain[k], chain[k + 1], across[b].size);
    };
    for (std::size_t i = 0; i < n; ++i) {
      if (share[k][i] > 1) continue;
      const std::size_t first = k + 1 == pieces ? n : i + 1, last = k + 1 == pieces ? n : n - 1;
      for (std::size_t j = std::max(first, i + 1); j <= last; ++j) {
        const Time load = receive(i) + work[j] - work[i] + send(j);
        const double taken = free[k] > Time{0}
                                 ? static_cast<double>(load.count()) / static_cast<double>(free[k].count())
                             : load > Time{0} ? never
                                              : 0;
        const double largest = std::max(share[k][i], taken);
        if (largest >= share[k + 1][j]) continue;
        share[k + 1][j] = largest;
        before[k + 1][j] = i;
      }
    }
  }
  if (share[pieces][n] > 1) return std::nullopt;
  StreamCut cut{std::move(order),
                {chain.begin(), chain.end()},
                std::vector<std::size_t>(pieces + 1, n),
                share[pieces][n]};
  for (std::size_t k = pieces; k > 0; --k) cut.cuts[k - 1] = before[k][cut.cuts[k]];
  return cut;
}

}  // namespace

std::vector<DatumId> data_across(const TaskGraph& graph, std::span<const TaskId> order,
                                 std::size_t boundary) {
  std::vector<bool> is_before(graph.task_count(), false), is_needed(graph.datum_count(), false);
  for (std::size_t i = 0; i < boundary; ++i) is_before[order[i].index()] = true;
  for (EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    if (is_before[edge.from.index()] && !is_before[edge.to.index()]) is_needed[edge.datum.index()] = true;
  }
  std::vector<DatumId> data;
  for (DatumId datum : ids<DatumId>(graph.datum_count()))
    if (is_needed[datum.index()]) data.push_back(datum);
  return data;
}

std::vector<StreamCut> cut_stream(const TaskGraph& graph, const logp::Machine& machine,
                                  std::span<const ProcessorId> chain, std::span<const Time> free) {
  std::vector<StreamCut> cuts;
  SearchRandom unused(0);
  for (const OrderRule rule : rules)
    if (auto cut = best_cut(graph, machine, topological_order(graph, rule, unused), chain, free))
      cuts.push_back(std::move(*cut));
  std::ranges::stable_sort(cuts, std::less{}, &StreamCut::share);
  return cuts;
}

}  // namespace takt::schedulers
