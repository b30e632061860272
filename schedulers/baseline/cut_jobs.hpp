#pragma once
/// What machines can do of jobs that may be cut, each within its window: no less than of jobs that may not.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "schedulers/baseline/one_machine.hpp"

namespace takt::schedulers {

/// The most that so many equal machines can do of some jobs, each between its head and the limit less its
/// tail. Every instant has room for one piece a machine, but for no more than there are windows open then;
/// where several could fill it, the piece whose window closes first does. (F. Glover, "Maximum matching in a
/// convex bipartite graph", Naval Research Logistics Quarterly 14, 1967: of pieces with an interval each,
/// none can be matched with more instants.) Two machines may do the same job at once, so that this is a
/// bound.
class CutJobs {
 public:
  /// Of the jobs by head; those of no use within the limit are left out by the caller. O(n log n).
  [[nodiscard]] Time most_done(std::span<const Job> jobs_by_head, Time limit, std::size_t machines);

 private:
  /// Ends of windows, ascending, and of those that are open the end and what is left to do, a heap.
  std::vector<Time> ends_;
  std::vector<std::pair<Time, Time>> open_;
};

}  // namespace takt::schedulers
