#pragma once
/// Random scheduling: the baseline that every algorithm should beat.
///
/// * Source: `randsch` in I. Ahmad, Y.-K. Kwok, M.-Y. Wu, W. Shu, "CASCH: a tool for computer-aided
///   scheduling", IEEE Concurrency 8(4), 2000.
/// * Each task runs on a uniformly drawn processor, by the seed; the tasks of a processor run in the order of
///   their b-levels.
/// * Complexity: O(n log n + m) time, O(n + m) memory.

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns a random timetable under the delay model.
[[nodiscard]] Timetable random(const DelayModel& model, const Options& options);
[[nodiscard]] Schedule random(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
