#pragma once
/// The constants of costs, plans, trial runs and the watch over a run: each with its unit, its reason, and
/// the bench that shows its worth.

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "core/units.hpp"

namespace takt::pipeline {

// Differences, as shares.

/// Costs of single tasks miss the throughput of a plan by up to so much (bench/prediction.py, `by costs`):
/// among plans that differ by less, the simplest one is taken without a trial run; hosts whose costs differ
/// by less are alike.
inline constexpr double accuracy_of_costs = 0.15;
/// Trial runs of one plan, and measurements of one task, differ by so much (bench/prediction.py,
/// repetitions): rates and times that differ by less are alike.
inline constexpr double accuracy_of_trials = 0.03;
/// The standard error of a mean that needs no further repetition (bench/prediction.py); also what a rate may
/// be below a required one.
inline constexpr double settled_error = 0.02;
/// What is not worth a word or another measurement: the shares of a task in a window, of frames around a
/// median, and of the time for trial runs in one repetition (bench/prediction.py).
inline constexpr double small_share = 0.05;
/// What makes a plan, a change of plans or an explanation worthwhile, and the room that trial runs must leave
/// above a required rate: queues stay short then (bench/prediction.py, rows with a rate).
inline constexpr double worthwhile_gain = 0.1;
/// What alone is worth a warning, and the longest part of the time for trial runs that a repetition takes for
/// infrequent calls.
inline constexpr double large_share = 0.25;

// Candidates.

/// Share of its time that one rank works at the required rate: below it one rank holds the rate whatever
/// costs miss, and the run starts without a trial run (bench/launch/launch.py, time to the first frame).
inline constexpr double low_load = 0.5;
/// Factors on the costs of links: they are measured for a third of a second, and a shared host passes
/// messages up to ten times more slowly for minutes (bench/boundary.py). The highest throughput has a plan
/// for links that are faster than measured, the least latency one for links that are slower.
inline constexpr double optimistic_links = 0.1, pessimistic_links = 2;
/// Plans that costs rank for trial runs (bench/prediction.py).
inline constexpr std::size_t most_candidates = 6;
/// Steps of each scheduler and search where the objective chooses among many, so that a run starts soon
/// (bench/launch/launch.py), and of the search for what would help where a rate is missed.
inline constexpr std::uint64_t choice_effort = 5'000, advice_effort = 20'000;
/// Factor on the costs of a task on other ranks than that which it must stay on.
inline constexpr double forbidding = 1000;

// Trial runs.

/// The longest that all trial runs before a run last, unless `--trial` says otherwise.
inline constexpr Time usual_trial{std::chrono::seconds{1}};
/// Repetitions of each plan, at least (bench/prediction.py).
inline constexpr std::size_t least_repetitions = 3;
/// Iterations of the schedule that a repetition counts, at least.
inline constexpr std::uint64_t least_iterations = 9;
/// A run that lasts less than so many times as long as its trial runs has none.
inline constexpr double least_run_of_trials = 10;

// Costs.

/// Calls that a median needs, and those that are enough for it (bench/prediction.py, `by costs`).
inline constexpr std::size_t least_calls = 5, most_calls = 50;
/// Calls from which on their spread says whether they are settled.
inline constexpr std::size_t settled_calls = 40;
/// One call of so many may be interrupted: of a stateless task it counts as the others.
inline constexpr std::size_t rare_calls = 100;
/// Below this a difference is the clock's.
inline constexpr Time least_time{std::chrono::microseconds{2}};

// The watch over a run (tests/pipeline/launch/run_watch_test.cpp).

/// Over how long a run is compared with its plan.
inline constexpr Time usual_window{std::chrono::seconds{5}};
/// Calls of a task in a window that say how long it takes.
inline constexpr std::uint64_t least_runs = 20;
/// Windows for which a first deviation, and another cause, must last until it is reported.
inline constexpr double short_while = 0.5, long_while = 2;
/// Windows without a deviation after which it is reported again; twice as many each time, at most so often.
inline constexpr std::int64_t silent_windows = 12;
inline constexpr int most_doublings = 10;
/// Seconds for which frames may stand still within a window, and for which a change of plans pauses them:
/// queues hold them.
inline constexpr double longest_stall_s = 0.1, pause_of_change_s = 0.2;

}  // namespace takt::pipeline
