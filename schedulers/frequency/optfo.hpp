#pragma once
/// `optfo`: the highest frequency that a search finds; the default scheduler of pipelines.
///
/// It searches schedules of one copy of the graph (one_copy.hpp), next to the following ones, and stops when
/// a period meets the bound.
///
/// First it cuts the topological order into stages that share stateless tasks by frames (frame_stages.hpp),
/// so that it is not behind otac, fertac, twocatac and herad. For a chain of more than 12 tasks, some of them
/// stateless, whose messages occupy no processor, these stages are the best schedule in which data go one
/// way; only a search of 2,000 moves follows.
///
/// If some tasks are stateless it replicates them first (replication.hpp), each number of replicas with an
/// additional eighth of its effort if tasks are few. If that misses the bound and the graph is small, it
/// also tries frames that return to earlier processors (interleaving.hpp), with an additional half of its
/// effort.
///
/// If Options::frames admits pipelined schedules and the bound is still missed, it balances the loads of the
/// processors alone, with its whole effort once more, and the other searches have half of it: frames that
/// wait in between have no influence on the period then (pipelined_search.hpp, with moldable tasks also
/// pipelined_groups.hpp). The other classes restrict the search to schedules of one frame at a time, or of
/// interleaved frames; the bounds then name the class.
///
/// With an effort of up to 20,000, and up to 128 tasks, it calls exact_fo with the same effort, so that it
/// is never worse, and itself on half of the processors (docs/decisions/0123-search-effort.md). With 200,000
/// or more it calls itself with less: 20,000, 200,000 and so on, a tenth of the effort at most, if tasks
/// times processors are up to 512 (docs/decisions/0123-search-effort.md).
///
/// Options::effort counts tried moves and examined lower sets; some tenths of a second to two seconds by
/// default. The same seed yields the same schedule on every machine. Ties by fewer processors, then by
/// shorter makespan.

#include "schedulers/frequency/one_copy.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns whether the effort is so small that results vary: optfo then calls exact_fo with the same effort,
/// and itself on fewer processors.
[[nodiscard]] bool is_brief(const TaskGraph& graph, const Options& options);

/// A scheduler that searches for a proof and begins with the result of optfo, such as exact_fo.
using FrequencyProof = Schedule (*)(const TaskGraph& graph, const logp::Machine& machine,
                                    const Options& options, const FrequencyStarts& starts);

[[nodiscard]] Schedule optfo(const TaskGraph& graph, const logp::Machine& machine, const Options& options,
                             const FrequencyStarts& starts, FrequencyProof exact);

}  // namespace takt::schedulers
