#pragma once
/// List scheduling for low latency at a required rate.

#include <vector>

#include "schedulers/search/workload.hpp"
#include "schedulers/sequences/arrangement.hpp"

namespace takt::schedulers {

/// Returns low-latency arrangements in which every processor should end within `repetition` of its
/// start.
///
/// Tasks in descending order of b-level, each to the processor with the earliest end among those whose
/// window still holds it; if there is none, to the one whose window it exceeds least. Windows of all
/// processors that open with the first task suit repetitions near the shortest makespan; staggered
/// windows suit the shortest repetitions. So several staggers are tried, each with the whole window and
/// with a part of it reserved for messages. A message is assumed to follow all earlier operations of its
/// sender. O(n P (P + degree)).
[[nodiscard]] std::vector<Arrangement> windowed_lists(const Workload& workload, Time repetition);

}  // namespace takt::schedulers
