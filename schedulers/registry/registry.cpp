#include "schedulers/registry/registry.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "core/error.hpp"
#include "logp/period.hpp"
#include "schedulers/baseline/exact_makespan.hpp"
#include "schedulers/baseline/random.hpp"
#include "schedulers/clustering/dcp.hpp"
#include "schedulers/clustering/dsc.hpp"
#include "schedulers/clustering/ez.hpp"
#include "schedulers/clustering/lc.hpp"
#include "schedulers/clustering/md.hpp"
#include "schedulers/clustering/merging.hpp"
#include "schedulers/frequency/basic_fo.hpp"
#include "schedulers/frequency/brent.hpp"
#include "schedulers/frequency/chains.hpp"
#include "schedulers/frequency/exact_fo.hpp"
#include "schedulers/frequency/greedy.hpp"
#include "schedulers/frequency/on_links.hpp"
#include "schedulers/frequency/optfo.hpp"
#include "schedulers/frequency/single.hpp"
#include "schedulers/heterogeneous/ca_list.hpp"
#include "schedulers/heterogeneous/ca_search.hpp"
#include "schedulers/heterogeneous/cpop.hpp"
#include "schedulers/heterogeneous/heft.hpp"
#include "schedulers/heterogeneous/peft.hpp"
#include "schedulers/list/dls.hpp"
#include "schedulers/list/etf.hpp"
#include "schedulers/list/hlfet.hpp"
#include "schedulers/list/ish.hpp"
#include "schedulers/list/last.hpp"
#include "schedulers/list/mcp.hpp"
#include "schedulers/mapping/annealing.hpp"
#include "schedulers/mapping/astar.hpp"
#include "schedulers/mapping/recursive_clustering.hpp"
#include "schedulers/moldable/m_heft.hpp"
#include "schedulers/moldable/mixed_fo.hpp"
#include "schedulers/moldable/two_step.hpp"
#include "schedulers/network/bsa.hpp"
#include "schedulers/network/bu.hpp"
#include "schedulers/network/dls_apn.hpp"
#include "schedulers/network/mh.hpp"
#include "schedulers/placement/indirect.hpp"
#include "schedulers/task_chains/chain_schedulers.hpp"

namespace takt::schedulers {

namespace {

/// Schedulers that start from results of other rows of the table.
Schedule optfo_from_starts(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  return optfo_on_links(graph, machine, options, frequency_starts());
}
Schedule exact_fo_from_starts(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  return exact_fo_on_links(graph, machine, options, frequency_starts());
}
/// Groups of processors redistribute data between each other, and already have their links.
Schedule mixed_fo_on_network(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  return no_slower_than_one(graph, machine, mixed_fo(graph, machine, options), options);
}
Schedule exact_makespan_from_starts(const TaskGraph& graph, const logp::Machine& machine,
                                    const Options& options) {
  Options unplaced = options;
  if (!machine.platform().network.empty()) unplaced.listener = nullptr;
  return put_on_network(graph, machine, exact_makespan(graph, machine, unplaced, makespan_starts()), options);
}

/// For optfo, less than a second of the search:
/// it may be better with almost free messages, or on a network.
Schedule exact_makespan_in_brief(const TaskGraph& graph, const logp::Machine& machine,
                                 const Options& options) {
  constexpr std::uint64_t most = 200'000, tasks_looked_at = 40'000'000;
  // A partial schedule examines every task on every processor.
  const std::uint64_t brief =
      std::min(most, tasks_looked_at / (graph.task_count() * machine.processor_count() + 1));
  Options for_brief = options;
  for_brief.effort = std::min(options.effort.value_or(brief), brief);
  return exact_makespan_from_starts(graph, machine, for_brief);
}
/// Tasks and edges.
constexpr std::size_t most_for_brief = 300;

/// For optfo: P^2 messages between two layers take seconds on hundreds of processors, and hardly ever have a
/// shorter period than those that carry data.
Schedule brent_in_brief(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  constexpr std::size_t most_processors = 64;
  return machine.processor_count() <= most_processors
             ? on_links<brent>(graph, machine, options)
             : on_links<brent_with_needed_messages>(graph, machine, options);
}

/// For optfo on a network: small loads of processors favour the period, and a shorter placement may have a
/// longer one. Without a network optfo has already run it.
template <SchedulerFunction scheduler>
Schedule by_loads(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  return machine.platform().network.empty() ? single(graph, machine, options)
                                            : scheduler(graph, machine, options);
}
/// Tasks and edges.
constexpr std::size_t most_by_loads = 10'000;

/// Times a schedule with the least period for its order.
template <auto scheduler>
Schedule repeated(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  return logp::with_least_repetition(machine, scheduler(graph, machine, options));
}

/// For near-linear schedulers, which `optfo` runs on graphs of any size.
constexpr std::size_t any_size = std::numeric_limits<std::size_t>::max();

/// The one table of schedulers: help, validation, comparison and tests all read it.
constexpr std::array table{
    Scheduler{"brent",
              "frequency",
              "layers dealt out in turn, all-to-all between layers (Brent)",
              on_links<brent>,
              {.made_for = Objective::frequency, .optfo_limit = 0}},
    Scheduler{"basic_fo",
              "frequency",
              "fills processors one by one, relays data down the chain",
              on_links<basic_fo>,
              {.made_for = Objective::frequency, .frequency_start = {basic_fo}}},
    Scheduler{"chains",
              "frequency",
              "the topological order, cut into the best relay chain",
              on_links<chains>,
              {.made_for = Objective::frequency,
               .place_at_a_rate = 2,
               .is_quick = true,
               .frequency_start = {chains}}},
    Scheduler{"exact_fo",
              "frequency",
              "the highest frequency of a small graph, with proof",
              exact_fo_from_starts,
              {.made_for = Objective::frequency, .proves = Objective::frequency}},
    Scheduler{"greedy",
              "frequency",
              "levels out every layer, layer messages (GreedyMethod)",
              on_links<greedy>,
              {.made_for = Objective::frequency,
               .place_at_a_rate = 3,
               .frequency_start = {repeated<greedy>, greedy_load}}},
    Scheduler{"otac",
              "frequency",
              "the fewest cores of one class, stage by stage, under a period (OTAC)",
              on_links<otac>,
              {.made_for = Objective::frequency, .optfo_limit = any_size}},
    Scheduler{"fertac",
              "frequency",
              "stages on little cores where these hold the period, else on big ones (FERTAC)",
              on_links<fertac>,
              {.made_for = Objective::frequency, .optfo_limit = any_size}},
    Scheduler{"twocatac",
              "frequency",
              "both classes of cores tried for each stage (2CATAC)",
              on_links<twocatac>,
              {.made_for = Objective::frequency, .auto_limit = 1'000, .optfo_limit = 1'000}},
    Scheduler{"herad",
              "frequency",
              "the best contiguous stages on two classes of cores (HeRAD)",
              on_links<herad>,
              {.made_for = Objective::frequency, .auto_limit = 1'000, .optfo_limit = 400}},
    Scheduler{"optfo",
              "frequency",
              "searches orders, cuts, moves and routes of data for the highest frequency",
              optfo_from_starts,
              {.made_for = Objective::frequency, .is_default = true, .place_at_a_rate = 1, .is_quick = true}},
    Scheduler{"single",
              "frequency",
              "everything on the processor that does it fastest",
              single,
              {.made_for = Objective::frequency,
               .place_at_a_rate = 4,
               .is_quick = true,
               .frequency_start = {single}}},
    Scheduler{"hlfet",
              "list",
              "ready task of the highest static level, where it starts first",
              on_network<hlfet>,
              {.optfo_limit = any_size, .makespan_start = {hlfet}}},
    Scheduler{"ish", "list", "as hlfet, and fills idle slots", on_network<ish>, {.makespan_start = {ish}}},
    Scheduler{"mcp",
              "list",
              "by latest start (critical path), inserted where it starts first",
              on_network<mcp>,
              {.place_at_a_rate = 7, .makespan_start = {mcp}}},
    Scheduler{"etf",
              "list",
              "the ready task and processor with the earliest start",
              on_network<etf>,
              {.place_at_a_rate = 6, .makespan_start = {etf}}},
    Scheduler{"dls",
              "list",
              "the ready task and processor with the highest dynamic level",
              on_network<dls>,
              {.place_at_a_rate = 8, .makespan_start = {dls}}},
    Scheduler{"last", "list", "ready task with the most data from placed tasks, where it starts first",
              on_network<last>},
    Scheduler{"heft",
              "heterogeneous",
              "by upward rank, inserted where it ends first",
              on_network<heft>,
              {.optfo_limit = any_size, .place_at_a_rate = 5, .is_quick = true, .makespan_start = {heft}}},
    Scheduler{"cpop", "heterogeneous", "critical path on the one processor that is fastest for it",
              on_network<cpop>},
    Scheduler{"peft", "heterogeneous", "looks ahead by a table of optimistic costs", on_network<peft>},
    Scheduler{"ca_list",
              "heterogeneous",
              "by b-level, where it ends first with its messages one after the other",
              on_network<ca_list>,
              {.routes_messages = true}},
    Scheduler{"ca_search",
              "heterogeneous",
              "the best of those that know links, improved by moving tasks",
              ca_search,
              {.auto_limit = 10'000, .optfo_limit = 5'000, .routes_messages = true}},
    Scheduler{"ez",
              "clustering",
              "zeroes heavy edges first while the schedule gets no longer",
              on_network<ez>,
              {.auto_limit = 6'000, .optfo_limit = 10'000, .makespan_start = {on_processors<ez>, true}}},
    Scheduler{"lc",
              "clustering",
              "clusters longest paths one by one",
              on_network<lc>,
              {.makespan_start = {on_processors<lc>, true}}},
    Scheduler{"dsc",
              "clustering",
              "follows the dominant sequence, near-linear time",
              on_network<dsc>,
              {.optfo_limit = any_size, .makespan_start = {on_processors<dsc>, true}}},
    Scheduler{"md",
              "clustering",
              "least mobile task first, into the first slot that fits",
              on_network<md>,
              {.auto_limit = 6'000, .optfo_limit = 10'000, .makespan_start = {on_processors<md>, true}}},
    Scheduler{"dcp",
              "clustering",
              "dynamic critical path, looks ahead to the critical child",
              on_network<dcp>,
              {.auto_limit = 6'000, .optfo_limit = 10'000, .makespan_start = {on_processors<dcp>, true}}},
    Scheduler{"bu",
              "network",
              "critical path together, the rest bottom-up by load, messages routed",
              on_network<bu>,
              {.routes_messages = true}},
    Scheduler{"mh",
              "network",
              "by b-level, where it ends first with its messages routed",
              on_network<mh>,
              {.routes_messages = true}},
    Scheduler{"dls_apn",
              "network",
              "highest dynamic level with messages routed",
              on_network<dls_apn>,
              {.auto_limit = 10'000, .optfo_limit = 30'000, .routes_messages = true}},
    Scheduler{"bsa",
              "network",
              "all on one processor, then tasks bubble to its neighbours",
              on_network<bsa>,
              {.optfo_limit = 30'000, .routes_messages = true}},
    Scheduler{"astar",
              mapping_family,
              "best mapping of tasks that interact: the smallest largest load",
              on_network<astar>,
              {.optfo_limit = 10'000}},
    Scheduler{"recursive_clustering",
              mapping_family,
              "tasks that interact most together, halved along with the machine",
              on_network<recursive_clustering>,
              {.optfo_limit = 10'000}},
    Scheduler{"annealing",
              mapping_family,
              "simulated annealing: moves tasks at random",
              on_network<annealing>,
              {.optfo_limit = 10'000}},
    Scheduler{"cpa",
              "moldable",
              "processors for the critical path until the work catches up",
              on_network<cpa>,
              {.auto_limit = 3'000, .optfo_limit = 1'000, .has_groups = true}},
    Scheduler{"mcpa",
              "moldable",
              "as cpa, but a layer's tasks never need more than there are",
              on_network<mcpa>,
              {.auto_limit = 3'000, .optfo_limit = 1'000, .has_groups = true}},
    Scheduler{"hcpa",
              "moldable",
              "as cpa on a reference cluster, fewer where processors abound",
              on_network<hcpa>,
              {.auto_limit = 3'000, .optfo_limit = 1'000, .has_groups = true}},
    Scheduler{"mcgas",
              "moldable",
              "best trade-off of path and work, rounded with a guarantee",
              on_network<mcgas>,
              {.auto_limit = 10'000, .optfo_limit = 1'000, .has_groups = true}},
    Scheduler{"m_heft",
              "moldable",
              "by upward rank, on the cluster and number where it ends first",
              on_network<m_heft>,
              {.auto_limit = 10'000, .optfo_limit = 1'000, .has_groups = true}},
    Scheduler{"mixed_fo",
              "moldable",
              "groups as stages of neighbouring tasks, copied where stateless",
              mixed_fo_on_network,
              {.made_for = Objective::frequency, .auto_limit = 200, .optfo_limit = 100, .has_groups = true}},
    Scheduler{"random", "baseline", "every task anywhere, by the seed", on_network<random>},
    Scheduler{"exact_makespan",
              "baseline",
              "branch and bound for the shortest schedule of a small graph",
              exact_makespan_from_starts,
              {.proves = Objective::makespan}},
};

/// Collects a value of all rows of the table with some trait, in the table's order.
template <class Value, class Has, class Get>
std::vector<Value> collect(const Has& has, const Get& get) {
  std::vector<Value> values;
  for (const Scheduler& scheduler : table)
    if (has(scheduler.traits)) values.push_back(get(scheduler));
  return values;
}

std::vector<SchedulerFunction> asked_at_a_rate(bool only_quick) {
  std::vector<const Scheduler*> asked;
  for (const Scheduler& scheduler : table)
    if (scheduler.traits.place_at_a_rate > 0 && (scheduler.traits.is_quick || !only_quick))
      asked.push_back(&scheduler);
  std::ranges::stable_sort(asked, {}, [](const Scheduler* each) { return each->traits.place_at_a_rate; });
  std::vector<SchedulerFunction> functions;
  for (const Scheduler* scheduler : asked) functions.push_back(scheduler->schedule);
  return functions;
}

}  // namespace

std::span<const Scheduler> all_schedulers() {
  return table;
}

const Scheduler& find_scheduler(std::string_view name, std::vector<std::string_view> also_known) {
  for (const Scheduler& scheduler : all_schedulers()) {
    if (scheduler.name == name) return scheduler;
    also_known.push_back(scheduler.name);
  }
  throw ConfigError(unknown_name("scheduler", name, std::move(also_known)));
}

const Scheduler& default_scheduler() {
  return *std::ranges::find_if(table, [](const Scheduler& each) { return each.traits.is_default; });
}

const FrequencyStarts& frequency_starts() {
  static const auto starts =
      collect<FrequencyStart>([](const Traits& traits) { return traits.frequency_start.schedule != nullptr; },
                              [](const Scheduler& scheduler) { return scheduler.traits.frequency_start; });
  static const auto on_links = collect<SchedulerFunction>(
      [](const Traits& traits) { return traits.frequency_start.schedule != nullptr; },
      [](const Scheduler& scheduler) { return scheduler.schedule; });
  static const auto others = [] {
    auto asked = collect<OtherScheduler>(
        [](const Traits& traits) {
          return traits.frequency_start.schedule == nullptr && !traits.is_default && !traits.proves;
        },
        [](const Scheduler& scheduler) {
          return OtherScheduler{scheduler.schedule, scheduler.traits.optfo_limit,
                                scheduler.traits.makespan_start.decide};
        });
    for (const SchedulerFunction unplaced :
         {by_loads<astar>, by_loads<recursive_clustering>, by_loads<annealing>})
      asked.push_back({unplaced, most_by_loads});
    asked.push_back({exact_makespan_in_brief, most_for_brief});
    asked.push_back({brent_in_brief, Traits{}.optfo_limit});
    return asked;
  }();
  static const FrequencyStarts lists{starts, others, on_links};
  return lists;
}

std::span<const MakespanStart> makespan_starts() {
  static const auto starts =
      collect<MakespanStart>([](const Traits& traits) { return traits.makespan_start.decide != nullptr; },
                             [](const Scheduler& scheduler) { return scheduler.traits.makespan_start; });
  return starts;
}

const RateSchedulers& rate_schedulers() {
  static const std::vector<SchedulerFunction> all = asked_at_a_rate(false), quick = asked_at_a_rate(true);
  static const auto with_groups =
      collect<SchedulerFunction>([](const Traits& traits) { return traits.has_groups; },
                                 [](const Scheduler& scheduler) { return scheduler.schedule; });
  static const RateSchedulers lists{all, quick, with_groups, default_scheduler().schedule};
  return lists;
}

std::vector<const Scheduler*> select_schedulers(std::string_view selection) {
  std::vector<const Scheduler*> selected;
  std::vector<std::string_view> groups{"all"};
  for (const Scheduler& scheduler : all_schedulers())
    if (groups.back() != scheduler.family) groups.push_back(scheduler.family);
  auto select = [&](const Scheduler& scheduler) {
    if (std::find(selected.begin(), selected.end(), &scheduler) == selected.end())
      selected.push_back(&scheduler);
  };
  if (selection.empty()) throw ConfigError(unknown_name("scheduler", "", groups));
  while (!selection.empty()) {
    const std::string_view part = selection.substr(0, selection.find(','));
    selection.remove_prefix(std::min(part.size() + 1, selection.size()));
    bool is_group = false;
    for (const Scheduler& scheduler : all_schedulers())
      if (part == "all" || part == scheduler.family) {
        select(scheduler);
        is_group = true;
      }
    if (!is_group) select(find_scheduler(part, groups));
  }
  return selected;
}

}  // namespace takt::schedulers
