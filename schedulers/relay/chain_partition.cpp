#include "schedulers/relay/chain_partition.hpp"

#include <algorithm>
#include <limits>

#include "logp/message_costs.hpp"

namespace takt::schedulers {

namespace {

/// The live data of one instance, and the cost of their message.
struct Live {
  std::size_t count = 0;
  Bytes size;
  Time::rep send = 0, receive = 0, gap = 0;

  void take_costs(const logp::LinkCosts& link) {
    send = receive = gap = 0;
    if (count == 0) return;
    const logp::MessageCosts costs(link, size);
    send = costs.send_overhead.count();
    receive = costs.receive_overhead.count();
    gap = costs.gap().count();
  }
};

/// `order` is a topological order of the workload's items. O(n + m).
Boundaries find_boundaries(const Workload& workload, std::span<const TaskId> order,
                           const logp::LinkCosts& costs) {
  const TaskGraph& graph = workload.items();
  const std::size_t count = order.size();
  Boundaries result;
  result.send.assign(count + 1, 0);
  result.receive.assign(count + 1, 0);
  result.gap.assign(count + 1, 0);
  if (costs == logp::LinkCosts{} || count == 0) return result;

  std::vector<std::uint32_t> needs_left(graph.datum_count(), 0);
  for (EdgeId edge : graph.edges()) ++needs_left[graph.edge(edge).datum.index()];
  std::vector<bool> is_made(graph.datum_count(), false);

  std::vector<Live> live(workload.replicas());
  Live sum;
  auto change = [&](DatumId datum, auto&& apply) {
    Live& of_instance = live[workload.instance_of(datum)];
    const Live before = of_instance;
    apply(of_instance);
    of_instance.take_costs(costs);
    sum.send += of_instance.send - before.send;
    sum.receive += of_instance.receive - before.receive;
    sum.gap += of_instance.gap - before.gap;
  };
  for (std::size_t i = 0; i < count; ++i) {
    for (EdgeId in : graph.in_edges(order[i])) {
      const DatumId datum = graph.edge(in).datum;
      if (--needs_left[datum.index()] > 0) continue;
      change(datum, [&](Live& of_instance) {
        --of_instance.count;
        of_instance.size = Bytes{of_instance.size.count - graph.datum_size(datum).count};
      });
    }
    for (EdgeId out : graph.out_edges(order[i])) {
      const DatumId datum = graph.edge(out).datum;
      if (is_made[datum.index()]) continue;
      is_made[datum.index()] = true;
      change(datum, [&](Live& of_instance) {
        ++of_instance.count;
        of_instance.size += graph.datum_size(datum);
      });
    }
    result.send[i + 1] = sum.send;
    result.receive[i + 1] = sum.receive;
    result.gap[i + 1] = sum.gap;
  }
  return result;
}

constexpr Time::rep lowest = std::numeric_limits<Time::rep>::min() / 4;

}  // namespace

ChainPartitioner::ChainPartitioner(const Workload& workload, std::span<const TaskId> order,
                                   std::span<const ProcessorId> chain)
    : workload_(workload), order_(order), chain_(chain.begin(), chain.end()) {
  work_.resize(workload.class_count());
  for (ProcessorId p : chain_) {
    std::vector<Time::rep>& sums = work_[workload.class_of(p)];
    if (!sums.empty()) continue;
    const std::vector<Time>& times = workload.times(workload.class_of(p));
    sums.reserve(order.size() + 1);
    sums.push_back(0);
    for (TaskId item : order) sums.push_back(sums.back() + times[item.index()].count());
  }

  std::vector<const logp::LinkCosts*> known;
  for (std::size_t k = 0; k + 1 < chain_.size(); ++k) {
    const logp::LinkCosts& costs = workload.links(chain_[k], chain_[k + 1]);
    const auto same = std::find_if(known.begin(), known.end(),
                                   [&](const logp::LinkCosts* other) { return *other == costs; });
    boundaries_of_.push_back(static_cast<std::size_t>(same - known.begin()));
    if (same != known.end()) continue;
    known.push_back(&costs);
    boundaries_.push_back(find_boundaries(workload, order, costs));
  }
  if (boundaries_.empty()) boundaries_.push_back(find_boundaries(workload, order, {}));
  boundaries_of_.push_back(0);  // no data are live after the last processor

  if (!workload.is_uniform()) return;
  reach_ = base_ = work(0);
  for (std::size_t b = 0; b < reach_.size(); ++b) {
    reach_[b] += boundaries_[0].send[b];
    base_[b] -= boundaries_[0].receive[b];
  }
}

ChainPartition ChainPartitioner::best(Time at_least) const {
  if (order_.empty()) return {{}, {0}, Time{0}};
  // The last period that is known not to fit, and a step that doubles until one fits.
  Time::rep low = std::max<Time::rep>(at_least.count(), 1) - 1, high = low + 1;
  for (Time::rep step = 1; !fits(high); step *= 2) {
    low = high;
    high += step;
  }
  while (high - low > 1) {
    const Time::rep middle = low + (high - low) / 2;
    (fits(middle) ? high : low) = middle;
  }
  return *within(Time(high));
}

std::optional<ChainPartition> ChainPartitioner::within(Time period) const {
  if (order_.empty()) return ChainPartition{{}, {0}, Time{0}};
  if (!fits(period.count())) return std::nullopt;
  ChainPartition partition =
      workload_.is_uniform() ? cut_equal(period.count()) : cut_different(period.count());
  partition.period = period_of(partition);
  return partition;
}

bool ChainPartitioner::fits(Time::rep period) const {
  if (workload_.is_uniform()) return fewest_pieces(period, nullptr) <= chain_.size();
  const auto reached = reach(period);
  return std::any_of(reached.begin(), reached.end(), [](const auto& ends) { return ends.back(); });
}

/// Returns the number of pieces for the whole order; more than the number of processors if it does not fit.
/// Stores in `before`, for each reachable boundary, where its last piece begins.
std::size_t ChainPartitioner::fewest_pieces(Time::rep period, std::vector<std::uint32_t>* before) const {
  const std::size_t count = order_.size(), most = chain_.size();
  // Of the boundaries reached with at most c pieces: the largest base, and its position.
  std::vector<Time::rep> base(most + 1, base_[0]);
  std::vector<std::uint32_t> place(most + 1, 0);
  const std::vector<Time::rep>& gap = boundaries_[0].gap;
  std::size_t pieces = 0;
  for (std::size_t end = 1; end <= count; ++end) {
    const Time::rep needed = reach_[end] - period;
    // The number changes little from one boundary to the next.
    while (pieces > 0 && base[pieces - 1] >= needed) --pieces;
    while (pieces < most && base[pieces] < needed) ++pieces;
    if (end == count) break;
    if (pieces == most || gap[end] > period) continue;  // unreachable, or no piece can follow
    if (before) (*before)[end] = place[pieces];
    for (std::size_t c = pieces + 1; c < most && base[c] < base_[end]; ++c) {
      base[c] = base_[end];
      place[c] = static_cast<std::uint32_t>(end);
    }
  }
  if (pieces == most) return most + 1;
  if (before) (*before)[count] = place[pieces];
  return pieces + 1;
}

ChainPartition ChainPartitioner::cut_equal(Time::rep period) const {
  std::vector<std::uint32_t> before(order_.size() + 1);
  const std::size_t pieces = fewest_pieces(period, &before);
  ChainPartition result;
  for (std::size_t end = order_.size(); end > 0; end = before[end]) result.cuts.push_back(end);
  result.cuts.push_back(0);
  std::reverse(result.cuts.begin(), result.cuts.end());
  result.chain.assign(chain_.begin(), chain_.begin() + static_cast<std::ptrdiff_t>(pieces));
  return result;
}

/// Returns for each k the boundaries that the first k processors of the chain, or some of them, can reach.
std::vector<std::vector<bool>> ChainPartitioner::reach(Time::rep period) const {
  const std::size_t count = order_.size();
  std::vector<std::vector<bool>> reached(chain_.size() + 1, std::vector<bool>(count + 1, false));
  reached[0][0] = true;
  for (std::size_t k = 0; k < chain_.size(); ++k) {
    std::vector<bool>& next = reached[k + 1];
    if (workload_.links_are_equal())
      next = reached[k];
    else
      next[0] = true;
    const std::vector<Time::rep>& sums = work(k);
    const Boundaries& behind = boundaries(k);
    const Boundaries& ahead = boundaries(k > 0 ? k - 1 : 0);
    Time::rep base = lowest;
    for (std::size_t b = 0; b <= count; ++b) {
      if (sums[b] + behind.send[b] <= period + base && (b == count || behind.gap[b] <= period))
        next[b] = true;
      if (reached[k][b]) base = std::max(base, sums[b] - ahead.receive[b]);
    }
  }
  return reached;
}

ChainPartition ChainPartitioner::cut_different(Time::rep period) const {
  const auto reached = reach(period);
  std::size_t k = 0;
  while (!reached[k].back()) ++k;
  ChainPartition result;
  result.cuts.push_back(order_.size());
  for (std::size_t end = order_.size(); end > 0; --k) {
    if (workload_.links_are_equal() && reached[k - 1][end]) continue;
    const std::vector<Time::rep>& sums = work(k - 1);
    const Boundaries& ahead = boundaries(k > 1 ? k - 2 : 0);
    const Time::rep needed = sums[end] + boundaries(k - 1).send[end] - period;
    std::size_t begin = end - 1;
    while (!reached[k - 1][begin] || sums[begin] - ahead.receive[begin] < needed) --begin;
    result.chain.push_back(chain_[k - 1]);
    result.cuts.push_back(begin);
    end = begin;
  }
  std::reverse(result.chain.begin(), result.chain.end());
  std::reverse(result.cuts.begin(), result.cuts.end());
  return result;
}

Time ChainPartitioner::period_of(const ChainPartition& partition) const {
  Time::rep period = 0;
  for (std::size_t k = 0; k < partition.chain.size(); ++k) {
    const std::size_t begin = partition.cuts[k], end = partition.cuts[k + 1];
    const std::vector<Time::rep>& sums = work_[workload_.class_of(partition.chain[k])];
    // With different links, the chain is a range of consecutive processors.
    const auto place = static_cast<std::size_t>(std::find(chain_.begin(), chain_.end(), partition.chain[k]) -
                                                chain_.begin());
    const Boundaries& behind = boundaries(place);
    const Boundaries& ahead = boundaries(place > 0 ? place - 1 : 0);
    period = std::max(
        {period, ahead.receive[begin] + sums[end] - sums[begin] + behind.send[end], behind.gap[end]});
  }
  return Time(period);
}

}  // namespace takt::schedulers
