#pragma once
/// Upper bound of the work that machines do when each job may be split within its window.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "schedulers/baseline/one_machine.hpp"

namespace takt::schedulers {

/// The most work that a number of equal machines can do on some jobs, each between
/// its head and the limit minus its tail. At any instant one piece a machine is done,
/// and no more pieces than windows are open; the piece whose window closes first has
/// precedence. (F. Glover, "Maximum matching in a convex bipartite graph", Naval
/// Research Logistics Quarterly 14, 1967: no matching of pieces with an interval each
/// is larger.) Two machines may work on the same job in parallel, so this is a bound.
class CutJobs {
 public:
  /// Jobs must be sorted by head; the caller leaves out those that do not fit the limit. O(n log n).
  [[nodiscard]] Time most_done(std::span<const Job> jobs_by_head, Time limit, std::size_t machines);

 private:
  /// Ends of windows, ascending; of the open windows a heap of their ends and remaining work.
  std::vector<Time> ends_;
  std::vector<std::pair<Time, Time>> open_;
};

}  // namespace takt::schedulers
