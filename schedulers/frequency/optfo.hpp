#pragma once
/// `optfo`: the highest frequency that a search finds; the default scheduler of pipelines.
///
/// It begins with the best of single, basic_fo, greedy and chains, so that it is never below them, and stops
/// as soon as the lower bound of the period (bounds.hpp) is met. Otherwise it searches chains of processors
/// (chain_search.hpp): topological orders by several priorities and at random, each cut optimally, then
/// improved by moving and swapping tasks between stages (late acceptance), with data relayed from stage to
/// stage or sent straight to where they are needed, whichever is cheaper; and, where the graph's downsets are
/// few enough, it finds the best relay chain exactly.
///
/// Options::effort counts tried moves and looked-at downsets; a tenth of a second to a second by default. The
/// same seed gives the same schedule on every machine. Ties by fewer processors, then by shorter makespan.

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

[[nodiscard]] Schedule optfo(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
