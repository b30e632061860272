#pragma once
/// `basic_fo`: BasicFO, which fills one processor after the other and relays the data down the chain.
///
/// Source: the thesis on frequency-oriented scheduling for LOIS, sections 3.1 and 4.1.1. Tasks in order of
/// layer, then id. Processor p receives tasks as long as each brings its load strictly closer to the average
/// time, which is an exact fraction; the last processor receives all remaining tasks. Processors without
/// tasks are unused.
///
/// Two rules of the thesis are omitted, so that its printed tables are reproduced: that no second processor
/// pays if 2 o is at least all work (4.1.1), and, under LogPLinear, to weigh each task against the cost of a
/// new processor (4.2.1), for which it defines no rule. `chains` does both: it cuts the same order at the
/// best places, messages included, on as many processors as pay.
///
/// Different speeds: a load is the time on the current processor, and the average time is the total work over
/// the sum of the speeds (each rounded to six decimals, at least 0.000001), so that every processor's share
/// is proportional to its speed. With a table of times the total work is the sum of each task's mean time.
/// O(n + m), plus the data across boundaries.

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

[[nodiscard]] Schedule basic_fo(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
