#pragma once
/// The constants of costs, plans, trial runs and the watch over a run: each with its unit, its reason, and
/// the bench that shows its worth.

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "core/units.hpp"

namespace takt::pipeline {

/// Ratio of periods. Costs of single tasks miss the throughput of a plan by up to so much
/// (bench/prediction.py, `by costs`): among plans that differ by less, the simplest one is taken without a
/// trial run.
inline constexpr double accuracy_of_costs = 0.15;
/// Ratio of rates. Trial runs of one plan differ by so much (bench/prediction.py, repetitions).
inline constexpr double accuracy_of_trials = 0.03;
/// Ratio of latencies. A plan whose frames take so much less replaces a simpler one (bench/prediction.py).
inline constexpr double worthwhile_latency_gain = 0.1;
/// Ratio of rates. A running pipeline changes to a plan that promises so much more (`--adapt`): a change
/// costs a pause of some milliseconds.
inline constexpr double worthwhile_change = 1.1;
/// Ratio to the required rate that a trial run must reach where the user names no margin: above it queues
/// stay short (bench/prediction.py, rows with a rate).
inline constexpr double margin_of_trials = 1.1;

/// Share of its time that one rank works at the required rate: below it one rank holds the rate whatever
/// costs miss, and the run starts without a trial run (bench/launch/launch.py, time to the first frame).
inline constexpr double low_load = 0.5;

/// Factors on the costs of links: they are measured for a third of a second, and a shared host passes
/// messages up to ten times more slowly for minutes (bench/boundary.py). The highest throughput has a plan
/// for links that are faster than measured, the least latency one for links that are slower.
inline constexpr double optimistic_links = 0.1, pessimistic_links = 2;

/// The longest that all trial runs before a run last, unless `--trial` says otherwise.
inline constexpr Time usual_trial{std::chrono::seconds{1}};
/// Repetitions of each plan, at least, and the standard error of their mean that ends them
/// (bench/prediction.py).
inline constexpr std::size_t least_repetitions = 3;
inline constexpr double settled_error = 0.02;
/// Share of the time of all trial runs that one repetition lasts (bench/prediction.py).
inline constexpr double share_of_repetition = 0.05;
/// Iterations of the schedule that a repetition counts, at least.
inline constexpr std::uint64_t least_iterations = 9;
/// A run that lasts less than so many times as long as its trial runs has none.
inline constexpr double least_run_of_trials = 10;

}  // namespace takt::pipeline
