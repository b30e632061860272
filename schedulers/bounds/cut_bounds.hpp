#pragma once
/// Lower bounds of the period where messages are expensive: what it costs to cut a graph.
///
/// Let a processor have the tasks S. It sends every datum that is made in S and needed elsewhere, and
/// receives every one that is needed in S and made elsewhere, once at least, whatever way it takes; so that
/// it is busy for the time of S and a cost c(S) of the data across the cut. Overheads that do not grow with
/// the data give no such cost. For schedules of one copy.

#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// The processor of a task v is busy for the least time(S) + c(S) of all S that v is in: a minimum cut
/// between v and a sink to which every task leads with its time (for cuts of data that several tasks share:
/// E. L. Lawler, "Cutsets and partitions of hypergraphs", Networks 3, 1973). The largest of all tasks, as far
/// as twenty maximum flows tell; 0 for more than a thousand tasks.
[[nodiscard]] Time task_cut_bound(const Workload& workload);

/// Of any k sets of tasks that share none, the sum of c(S) / work(S) is at least that of the k smallest
/// eigenvalues of the graph's Laplacian matrix, weighted by c, relative to the tasks' work (W. E. Donath, A.
/// J. Hoffman, "Lower bounds for the partitioning of graphs", IBM Journal of Research and Development 17,
/// 1973; K. Fan 1949). With the smallest ones, lambda_1 <= lambda_2 <= ..., on the processors in falling
/// order of their speeds s_1 >= s_2 >= ...,
///
///   period >= work / sum of s_i / (1 + s_i lambda_i).
///
/// For without messages processor i does s_i period; what the r_i = c(S) / work(S) of all processors may be
/// is best for the period where each is as small as the sums allow and the fastest have the smallest. In a
/// connected graph a processor with a part of the tasks exchanges one message at least: its constant
/// overhead comes on top. 0 for more than 512 tasks. O(n^3).
[[nodiscard]] Time spread_bound(const Workload& workload);

}  // namespace takt::schedulers
