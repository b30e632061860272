#include <algorithm>
#include <array>
#include <string>

#include "core/error.hpp"
#include "schedulers/frequency/basic_fo.hpp"
#include "schedulers/frequency/brent.hpp"
#include "schedulers/frequency/greedy.hpp"
#include "schedulers/frequency/single.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

namespace {

/// The one table of schedulers: help, validation, comparison and tests all read it.
const std::array table{
    Scheduler{"brent", "frequency", "layers dealt out in turn, all-to-all between layers (Brent)", brent},
    Scheduler{"basic_fo", "frequency", "fills one processor after the other, relays data down the chain",
              basic_fo},
    Scheduler{"greedy", "frequency", "levels out every layer, layer messages (GreedyMethod)", greedy},
    Scheduler{"single", "frequency", "everything on the processor that does it fastest", single},
};

}  // namespace

std::span<const Scheduler> all_schedulers() {
  return table;
}

const Scheduler& find_scheduler(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Scheduler& scheduler : all_schedulers()) {
    if (scheduler.name == name) return scheduler;
    known.push_back(scheduler.name);
  }
  throw ConfigError(unknown_name("scheduler", name, known));
}

std::vector<const Scheduler*> select_schedulers(std::string_view selection) {
  std::vector<const Scheduler*> selected;
  auto select = [&](const Scheduler& scheduler) {
    if (std::find(selected.begin(), selected.end(), &scheduler) == selected.end())
      selected.push_back(&scheduler);
  };
  while (!selection.empty()) {
    const std::string_view part = selection.substr(0, selection.find(','));
    selection.remove_prefix(std::min(part.size() + 1, selection.size()));
    bool is_group = false;
    for (const Scheduler& scheduler : all_schedulers())
      if (part == "all" || part == scheduler.family) {
        select(scheduler);
        is_group = true;
      }
    if (!is_group) select(find_scheduler(part));
  }
  return selected;
}

}  // namespace takt::schedulers
