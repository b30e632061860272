#include "schedulers/frequency/optfo.hpp"

#include <algorithm>
#include <tuple>

#include "logp/period.hpp"
#include "schedulers/frequency/basic_fo.hpp"
#include "schedulers/frequency/bounds.hpp"
#include "schedulers/frequency/chain_search.hpp"
#include "schedulers/frequency/chains.hpp"
#include "schedulers/frequency/greedy.hpp"
#include "schedulers/frequency/replication.hpp"
#include "schedulers/frequency/replication_bound.hpp"
#include "schedulers/frequency/single.hpp"

namespace takt::schedulers {

namespace {

constexpr std::uint64_t default_effort = 500'000;
/// Stages for which the ways of data are searched.
constexpr std::size_t most_routed_stages = 16;
constexpr std::size_t most_routed_edges = 2'000;

/// The best schedule so far.
class Best {
 public:
  explicit Best(Schedule schedule) : schedule_(std::move(schedule)), metrics_(measure(schedule_)) {}

  void add(Schedule schedule) {
    ScheduleMetrics metrics = measure(schedule);
    if (!is_better(metrics, metrics_)) return;
    schedule_ = std::move(schedule);
    metrics_ = std::move(metrics);
  }
  [[nodiscard]] const ScheduleMetrics& metrics() const { return metrics_; }
  [[nodiscard]] Schedule take() && { return std::move(schedule_); }

 private:
  static bool is_better(const ScheduleMetrics& a, const ScheduleMetrics& b) {
    // Periods are fractions: repetition / replicas.
    const auto scaled_a = a.repetition.count() * b.replicas, scaled_b = b.repetition.count() * a.replicas;
    return std::tuple(scaled_a, a.replicas, a.processors_used, a.makespan) <
           std::tuple(scaled_b, b.replicas, b.processors_used, b.makespan);
  }

  Schedule schedule_;
  ScheduleMetrics metrics_;
};

void add_chains(const Workload& workload, const std::vector<Chain>& chains, Best& best) {
  const bool messages_cost = !workload.machine().communication_is_free();
  for (const Chain& chain : chains) {
    best.add(make_schedule(workload, chain.stages, chain.routes));
    if (!messages_cost || chain.stages.chain.size() > most_routed_stages ||
        workload.items().edge_count() > most_routed_edges)
      continue;
    // A smaller load need not be a shorter period: more messages have more gaps.
    Routes routes = chain.routes;
    improve_routes(workload, chain.stages, routes);
    best.add(make_schedule(workload, chain.stages, routes));
  }
}

}  // namespace

Schedule optfo(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  Best best(single(graph, machine, options));
  best.add(basic_fo(graph, machine, options));
  best.add(chains(graph, machine, options));
  best.add(logp::with_smallest_period(machine, greedy(graph, machine, options)));

  std::uint64_t budget = options.effort.value_or(default_effort);
  if (can_replicate(graph, machine)) {
    const Period least = replication_bound(graph, machine).period;
    for (Schedule& schedule : replicate(graph, machine, least, budget, options.seed))
      best.add(std::move(schedule));
    if (best.metrics().exact_period() <= least) budget = 0;
  }
  const Time bound = PeriodBounds(graph, machine).best().time;
  if (budget > 0 && best.metrics().repetition > bound) {
    const Workload workload(graph, machine);
    const ChainSearchResult found = search_chains(workload, bound, budget, options.seed);
    add_chains(workload, found.chains, best);
  }
  Schedule schedule = std::move(best).take();
  schedule.scheduler = "optfo";
  if (can_replicate(graph, machine))
    add_replication_bound(graph, machine, schedule);
  else
    add_period_bound(graph, machine, schedule);
  return schedule;
}

}  // namespace takt::schedulers
