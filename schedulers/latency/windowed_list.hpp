#pragma once
/// List scheduling for little latency at a given rate.

#include <vector>

#include "schedulers/search/workload.hpp"
#include "schedulers/sequences/arrangement.hpp"

namespace takt::schedulers {

/// Arrangements in which every processor is meant to be done within `repetition` of its start, with little
/// latency.
///
/// Tasks in descending order of b-level, each to the processor on which it ends first, of those that are then
/// still within their window; where there is none, to the one that it exceeds least. Windows of all
/// processors that open with the first task are right for repetitions near the shortest makespan, windows
/// that open one after the other for the shortest repetitions; so several ways to stagger them are tried,
/// each with the whole window and with some of it kept for messages. Messages are reckoned as if each
/// followed all that its sender has done so far. O(n P (P + degree)).
[[nodiscard]] std::vector<Arrangement> windowed_lists(const Workload& workload, Time repetition);

}  // namespace takt::schedulers
