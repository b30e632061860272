#pragma once
/// The cost of cutting an order of tasks into a relay chain.

#include <cstdint>
#include <span>
#include <vector>

#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// The boundaries of an order of n items: boundary b, 0 <= b <= n, lies before the b-th item. Data made
/// before and needed after it are live there and cross it in one message for each instance; no data are live
/// at 0 and n.
struct Boundaries {
  /// Ticks that the messages occupy the processors before and after the boundary.
  std::vector<Time::rep> send, receive;
  /// No chain with this boundary has a smaller period: the messages' gaps.
  std::vector<Time::rep> gap;
};

/// `order` is a topological order of the workload's items. O(n + m).
[[nodiscard]] Boundaries find_boundaries(const Workload& workload, std::span<const TaskId> order,
                                         const logp::LinkCosts& costs);

}  // namespace takt::schedulers
