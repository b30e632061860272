#include "schedulers/registry/registry.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/error.hpp"
#include "schedulers/baseline/exact_makespan.hpp"
#include "schedulers/baseline/random.hpp"
#include "schedulers/clustering/dcp.hpp"
#include "schedulers/clustering/dsc.hpp"
#include "schedulers/clustering/ez.hpp"
#include "schedulers/clustering/lc.hpp"
#include "schedulers/clustering/md.hpp"
#include "schedulers/frequency/basic_fo.hpp"
#include "schedulers/frequency/brent.hpp"
#include "schedulers/frequency/chains.hpp"
#include "schedulers/frequency/exact_fo.hpp"
#include "schedulers/frequency/greedy.hpp"
#include "schedulers/frequency/on_links.hpp"
#include "schedulers/frequency/single.hpp"
#include "schedulers/heterogeneous/ca_list.hpp"
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
#include "schedulers/network/bsa.hpp"
#include "schedulers/network/bu.hpp"
#include "schedulers/network/dls_apn.hpp"
#include "schedulers/network/mh.hpp"

namespace takt::schedulers {

namespace {

/// The one table of schedulers: help, validation, comparison and tests all read it.
const std::array table{
    Scheduler{"brent", "frequency", "layers dealt out in turn, all-to-all between layers (Brent)",
              on_links<brent>},
    Scheduler{"basic_fo", "frequency", "fills one processor after the other, relays data down the chain",
              on_links<basic_fo>},
    Scheduler{"chains", "frequency", "the topological order, cut into the best relay chain",
              on_links<chains>},
    Scheduler{"exact_fo", "frequency", "the highest frequency of a small graph, with proof",
              on_links<exact_fo>},
    Scheduler{"greedy", "frequency", "levels out every layer, layer messages (GreedyMethod)",
              on_links<greedy>},
    Scheduler{"optfo", "frequency", "searches orders, cuts, moves and ways of data for the highest frequency",
              optfo_on_links},
    Scheduler{"single", "frequency", "everything on the processor that does it fastest", single},
    Scheduler{"hlfet", "list", "ready task of the highest static level, where it starts first", hlfet},
    Scheduler{"ish", "list", "as hlfet, and fills the holes that it leaves", ish},
    Scheduler{"mcp", "list", "by latest start (critical path), inserted where it starts first", mcp},
    Scheduler{"etf", "list", "the ready task and processor with the earliest start", etf},
    Scheduler{"dls", "list", "the ready task and processor with the highest dynamic level", dls},
    Scheduler{"last", "list", "ready task with the most data from placed tasks, where it starts first", last},
    Scheduler{"heft", "heterogeneous", "by upward rank, inserted where it ends first", heft},
    Scheduler{"cpop", "heterogeneous", "critical path on the one processor that is fastest for it", cpop},
    Scheduler{"peft", "heterogeneous", "looks ahead by a table of optimistic costs", peft},
    Scheduler{"ca_list", "heterogeneous", "by b-level, a task's incoming messages one after the other",
              ca_list},
    Scheduler{"ez", "clustering", "zeroes heavy edges first while the schedule gets no longer", ez, 6'000},
    Scheduler{"lc", "clustering", "longest path after longest path becomes a cluster", lc},
    Scheduler{"dsc", "clustering", "follows the dominant sequence, near-linear time", dsc},
    Scheduler{"md", "clustering", "least mobile task first, into the first slot that fits", md, 2'500},
    Scheduler{"dcp", "clustering", "dynamic critical path, looks ahead to the critical child", dcp, 2'500},
    Scheduler{"bu", "network", "critical path together, the rest bottom-up by load, messages routed", bu},
    Scheduler{"mh", "network", "by b-level, where it ends first with its messages routed", mh},
    Scheduler{"dls_apn", "network", "highest dynamic level with messages routed", dls_apn, 10'000},
    Scheduler{"bsa", "network", "all on one processor, then tasks bubble to its neighbours", bsa},
    Scheduler{"astar", "mapping", "best mapping of tasks that interact: the smallest largest load", astar},
    Scheduler{"recursive_clustering", "mapping",
              "tasks that interact most together, halved along with the machine", recursive_clustering},
    Scheduler{"annealing", "mapping", "moves tasks at random, ever less against the load", annealing},
    Scheduler{"random", "baseline", "every task anywhere, by the seed", random},
    Scheduler{"exact_makespan", "baseline", "branch and bound for the shortest schedule of a small graph",
              exact_makespan},
};

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
