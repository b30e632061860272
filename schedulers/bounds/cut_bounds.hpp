#pragma once
/// Lower bounds of the period for expensive messages, from the cost of cuts of the graph.
///
/// Let a processor have the tasks S. It sends at least once each datum that is made in S and needed
/// elsewhere, and receives at least once each datum that is needed in S and made elsewhere, on any route. So
/// it is busy for the time of S and a cost c(S) of the data across the cut. Overheads that do not grow with
/// the data contribute nothing. For schedules of one copy.

#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// The processor of a task v is busy for at least the minimum of time(S) + c(S) over all S that contain v: a
/// minimum cut between v and a sink with an arc from every task (for cuts of data that several tasks share:
/// E. L. Lawler, "Cutsets and partitions of hypergraphs", Networks 3, 1973). Returns the largest value that
/// twenty maximum flows find; 0 for more than a thousand tasks.
[[nodiscard]] Time task_cut_bound(const Workload& workload);

/// For any k disjoint sets of tasks, the sum of c(S) / work(S) is at least that of the k smallest eigenvalues
/// of the graph's Laplacian matrix, weighted by c, relative to the tasks' work (W. E. Donath, A. J. Hoffman,
/// "Lower bounds for the partitioning of graphs", IBM Journal of Research and Development 17, 1973; K. Fan
/// 1949). With the smallest ones, lambda_1 <= lambda_2 <= ..., on the processors in falling order of their
/// speeds s_1 >= s_2 >= ...,
///
///   period >= work / sum of s_i / (1 + s_i lambda_i).
///
/// Without messages processor i does s_i period. The ratios r_i = c(S) / work(S) allow the smallest period if
/// each is as small as the sums permit and the fastest processors have the smallest. In a connected graph a
/// processor with some of the tasks exchanges at least one message: its constant overhead is added. 0 for
/// more than 512 tasks. O(n^3).
[[nodiscard]] Time spread_bound(const Workload& workload);

}  // namespace takt::schedulers
