#pragma once
/// Independent checks of chains of processors, and graphs that fill chains without unused time.

#include <span>

#include "core/graphs/task_graph.hpp"
#include "core/random.hpp"
#include "logp/machine.hpp"
#include "schedulers/relay/chain_search.hpp"

namespace takt::schedulers {

/// Expects chains, best first and below a load, reproducible, whose data move forward and whose processors
/// are each used once; and for chains of relays the reported load, counted datum by datum. Returns the number
/// of the latter.
int expect_chains(const Workload& workload, std::span<const Chain> chains, std::span<const Chain> same,
                  Time below);

/// Processors of speeds 1, 1, 2 and 4 and tasks that fill each of them for 100 ticks, three per processor,
/// with data from earlier to later ones only: so there is a chain of 100 ticks without unused time.
struct FilledChain {
  TaskGraph graph;
  logp::Machine machine;
};
FilledChain filled_chain(Random& random, std::size_t processors);

}  // namespace takt::schedulers
