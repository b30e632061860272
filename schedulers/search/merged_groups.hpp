#pragma once
/// Groups of tasks that say much to each other.

#include <cstddef>
#include <span>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "schedulers/search/groups.hpp"

namespace takt::schedulers {

/// Begins with a group for each task, and joins two groups again and again, those first whose data are the
/// most for their work: data / (work a * work b), so that groups stay even. Two are joined where that makes
/// no circle. What there is whenever one of the `counts`, which fall, is reached; the last ones may be
/// missing where no two groups can be joined any more. Cf. the coarsening of J. Herrmann, M. Y. Özkaya, B.
/// Uçar, K. Kaya, Ü. V. Çatalyürek, "Multilevel algorithms for acyclic partitioning of directed acyclic
/// graphs", SIAM Journal on Scientific Computing 41, 2019. Ties: the lower group sending, then receiving. O(n
/// m) at worst.
[[nodiscard]] std::vector<Groups> merged_groups(const TaskGraph& graph, std::span<const std::size_t> counts);

}  // namespace takt::schedulers
