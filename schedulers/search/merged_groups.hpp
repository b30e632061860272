#pragma once
/// Groups of strongly communicating tasks.

#include <cstddef>
#include <span>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "schedulers/search/groups.hpp"

namespace takt::schedulers {

/// Starts with a group for each task and repeatedly joins two groups, those with the most
/// data for their work first: data / (work a * work b), which keeps groups even. Two are
/// joined only if that creates no cycle. Returns the groups at each of the falling `counts`;
/// the last ones may be missing if no two groups can be joined any more. Cf. the coarsening
/// of J. Herrmann, M. Y. Özkaya, B. Uçar, K. Kaya, Ü. V. Çatalyürek, "Multilevel algorithms
/// for acyclic partitioning of directed acyclic graphs", SIAM Journal on Scientific Computing
/// 41, 2019. Ties: the lower group sending, then receiving. O(n m) in the worst case.
[[nodiscard]] std::vector<Groups> merged_groups(const TaskGraph& graph, std::span<const std::size_t> counts);

}  // namespace takt::schedulers
