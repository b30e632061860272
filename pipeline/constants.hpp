#pragma once
/// Defines the constants of costs, plans, trial runs and run monitoring, each with its unit, its reason, and
/// the bench that shows its worth.

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "core/units.hpp"

namespace takt::pipeline {

// Relative differences.

/// Relative error of a plan's throughput when it is predicted from the costs of single tasks
/// (bench/prediction.py, `by costs`). Among plans that differ by less, the simplest one wins without a trial
/// run; hosts whose costs differ by less count as alike.
inline constexpr double accuracy_of_costs = 0.15;
/// Relative difference between trial runs of one plan, or measurements of one task (bench/prediction.py,
/// repetitions). Rates and times that differ by less count as equal.
inline constexpr double accuracy_of_trials = 0.03;
/// Standard error of a mean below which no further repetition is needed (bench/prediction.py); also the
/// accepted shortfall of a rate below a required one.
inline constexpr double settled_error = 0.02;
/// Smallest share worth a message or another measurement: of a task in a window, of frames around a median,
/// and of the time for trial runs in one repetition (bench/prediction.py).
inline constexpr double small_share = 0.05;
/// Accepted shortfall of the sustained rate of a whole run below the required one: the error of a rate from
/// the first and last of a hundred frames.
inline constexpr double held_tolerance = 0.01;
/// Least gain that justifies a plan, a change of plans or an explanation. Trial runs must exceed a required
/// rate by this margin, so that queues stay short (bench/prediction.py, rows with a rate).
inline constexpr double worthwhile_gain = 0.1;
/// Share that justifies a warning by itself; also the largest share of the trial time that one repetition
/// spends on infrequent calls.
inline constexpr double large_share = 0.25;

// Candidates.

/// Load of one rank at the required rate below which it holds the rate despite errors of the costs: the run
/// then starts without a trial run (bench/launch/launch.py, time to the first frame), and its report does not
/// judge the prediction.
inline constexpr double low_load = 0.5;
/// Factors on the costs of links. A calibration measures them for a third of a second, and a shared host can
/// pass messages up to ten times more slowly for minutes (bench/boundary.py). The plan of highest throughput
/// uses the optimistic factor, the plan of least latency the pessimistic one.
inline constexpr double optimistic_links = 0.1, pessimistic_links = 2;
/// Number of plans that the costs select for trial runs (bench/prediction.py).
inline constexpr std::size_t most_candidates = 6;
/// Steps of each scheduler and search where the objective compares many, so that a run starts soon
/// (bench/launch/launch.py), and of the search for advice when a rate is missed.
inline constexpr std::uint64_t choice_effort = 5'000, advice_effort = 20'000;

// Trial runs.

/// Longest total time of all trial runs before a run, unless `--trial` sets another.
inline constexpr Time usual_trial{std::chrono::seconds{1}};
/// Least number of repetitions of each plan (bench/prediction.py).
inline constexpr std::size_t least_repetitions = 3;
/// Least number of iterations of the schedule that a repetition counts.
inline constexpr std::uint64_t least_iterations = 9;
/// Least ratio of the length of a run to that of its trial runs; shorter runs have no trial runs.
inline constexpr double least_run_of_trials = 10;

// Costs.

/// Least and largest number of calls for a median (bench/prediction.py, `by costs`).
inline constexpr std::size_t least_calls = 5, most_calls = 50;
/// Number of calls from which their spread shows whether they have settled.
inline constexpr std::size_t settled_calls = 40;
/// One call in this many may be interrupted; for a stateless task such an outlier counts as a usual call.
inline constexpr std::size_t infrequent_calls = 100;
/// Differences below this are within the error of the clock.
inline constexpr Time least_time{std::chrono::microseconds{2}};

// Run monitoring (tests/pipeline/launch/run_watch_test.cpp).

/// Default window over which a run is compared with its plan.
inline constexpr Time usual_window{std::chrono::seconds{5}};
/// Least number of calls in a window for the duration of a task.
inline constexpr std::uint64_t least_runs = 20;
/// Windows for which a first deviation, and another cause, must last before it is reported.
inline constexpr double short_while = 0.5, long_while = 2;
/// Windows without a deviation before it is reported again; doubled each time, up to most_doublings times.
inline constexpr std::int64_t silent_windows = 12;
inline constexpr int most_doublings = 10;
/// Longest stall of frames within a window, and the pause for a change of plans, in seconds: queues absorb
/// both.
inline constexpr double longest_stall_s = 0.1, pause_of_change_s = 0.2;

}  // namespace takt::pipeline
