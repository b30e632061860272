#include "schedulers/bounds/assignment_bound.hpp"

#include <algorithm>

#include "schedulers/bounds/assignment_search.hpp"

namespace takt::schedulers {

Time assignment_bound(const Workload& workload, Time at_least, Time below, std::uint64_t& budget) {
  if (below <= at_least || workload.item_count() == 0 || workload.item_count() > most_assigned_items)
    return at_least;
  Time best = below;
  const bool has_finished = for_each_assignment(workload, below, Interchange::of_equal_speed, budget,
                                                [&](std::span<const ProcessorId>, Time least) {
                                                  best = least;
                                                  return least <= at_least ? Time{0} : least;
                                                });
  return has_finished ? std::max(at_least, best) : at_least;
}

}  // namespace takt::schedulers
