#pragma once
/// What chains of processors must be, counted anew, and graphs that fill them without a tick left over.

#include <span>

#include "core/graphs/task_graph.hpp"
#include "core/random.hpp"
#include "logp/machine.hpp"
#include "schedulers/relay/chain_search.hpp"

namespace takt::schedulers {

/// Expects chains, best first and below a load, the same ones a second time, whose data go forward and whose
/// processors are each used once; and of chains of relays the load that they say, counted datum by datum.
/// Returns how many of those there are.
int expect_chains(const Workload& workload, std::span<const Chain> chains, std::span<const Chain> same,
                  Time below);

/// Processors of speeds 1, 1, 2 and 4 and tasks that fill each of them for 100 ticks, three a processor, with
/// data from earlier ones to later ones only: so there is a chain of 100 ticks without any time left over.
struct FilledChain {
  TaskGraph graph;
  logp::Machine machine;
};
FilledChain filled_chain(Random& random, std::size_t processors);

}  // namespace takt::schedulers
