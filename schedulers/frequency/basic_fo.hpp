#pragma once
/// `basic_fo`: BasicFO, which fills one processor after the other and relays the data down the chain.
///
/// Source: the thesis on frequency-oriented scheduling for LOIS, sections 3.1 and 4.1.1. Tasks in order of
/// layer, then id. Processor p takes tasks as long as each brings its load strictly closer to the average
/// time, which is an exact fraction; the last processor takes all that is left. Processors that get no task
/// take no part.
///
/// What the thesis says elsewhere and this leaves out, so that its printed tables come out: that no second
/// processor pays where 2 o is no less than all work (4.1.1), and, under LogPLinear, to weigh each task
/// against what a new processor costs (4.2.1), for which it gives no rule. `chains` does both: it cuts the
/// same order at the best places, messages included, on as many processors as pay.
///
/// Different speeds: a load is the time on the processor at hand, and the average time is the total work over
/// the sum of the speeds (each rounded to six decimals, 0.000001 at least), so that every processor's share
/// is in proportion to its speed. With a table of times the total work is the sum of each task's mean time.
/// O(n + m), plus the data that cross boundaries.

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

[[nodiscard]] Schedule basic_fo(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
