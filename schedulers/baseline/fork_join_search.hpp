#pragma once
/// Forks, joins, forks that are joined again, and tasks without edges, on equal processors: who does what is
/// all that there is to decide.

#include <cstdint>
#include <optional>

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"

namespace takt::schedulers {

struct ForkJoinSearch {
  /// The shortest schedule that was found, if it is shorter than the one that is known.
  std::optional<Timetable> timetable;
  /// None is shorter than this.
  Time bound{0};
};

/// Looks for the shortest schedule between a bound and the length of one that is known; nothing where the
/// graph is none of these, or the processors are unlike.
///
/// * A limit halves what lies between. Under a limit each of the tasks in the middle has a head (when its
///   data is there) and a tail (until its result is), which it does not have beside the first or the last
///   task. These two are on one processor or on two; every other processor is a problem of one machine with
///   heads and tails (one_machine.hpp).
/// * Task by task, the longest first: one begins another processor, which is then filled with later ones in
///   every way that fits, or is done beside the first or the last task. Where the ends are on one processor,
///   of two tasks of equal work the one with smaller head and tail is elsewhere if the other one is: they
///   change places.
/// * Bound: the work that is left, against what the processors could do of it if they could cut it, each task
///   within its head and its tail (cut_jobs.hpp), and of that what sums of whole tasks come to
///   (subset_sums.hpp).
/// * `effort`: steps for each limit. Exponential; O(n log n) time a step, besides the one-machine
///   problems and O(n b / 64) for sums of b bits.
[[nodiscard]] std::optional<ForkJoinSearch> search_fork_join(const DelayModel& model, Time bound, Time length,
                                                             std::uint64_t effort);

}  // namespace takt::schedulers
