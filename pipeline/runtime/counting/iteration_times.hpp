#pragma once
/// When the rounds of a trial came to their end, and what rate that shows.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace takt::pipeline {

/// Of one sink, by round: when its last frame came to its end there, and when the source had taken it in; 0
/// for a round of which nothing was left. CLOCK_MONOTONIC of the source's host, in ns.
struct IterationTimes {
  std::vector<std::int64_t> ended_ns;
  std::vector<std::int64_t> ingested_ns;

  void reserve(std::size_t rounds) {
    ended_ns.reserve(rounds);
    ingested_ns.reserve(rounds);
  }
};

/// Rounds a second once the pipeline is full, and before the source has given its last frame: a pipeline that
/// fills or drains has fewer ranks at work. Between two moments at which as many rounds were on their way,
/// a multiple of `cycle` rounds apart (hyperperiod.hpp); the first ones are skipped. Nothing where fewer than
/// `least` rounds lie between them, or no whole cycle. O(rounds).
[[nodiscard]] std::optional<double> steady_rate(const IterationTimes& times, std::size_t skipped,
                                                std::size_t least, std::size_t cycle = 1);

/// The same between the first one that is not skipped and the last one, whether the pipeline is full or not.
/// Nothing where there are no two; where they are less than a cycle apart, that of as many as there are.
[[nodiscard]] std::optional<double> mean_rate(const IterationTimes& times, std::size_t skipped,
                                              std::size_t cycle = 1);

/// What one rank saw of a trial.
struct RankRate {
  /// Rounds a second in its slowest sink, infinite without one, and whether the pipeline was full then.
  double hertz = std::numeric_limits<double>::infinity();
  bool is_steady = true;
  /// Time of a processor that the rank took a round, 0 where it has no task; its node, and the processors
  /// there.
  double processor_ns = 0;
  int node = 0;
  int cores = 1;
  /// Where ranks claim frames: how much of a repetition its rounds are; 0 elsewhere.
  double claimed = 0;
};

[[nodiscard]] std::string to_text(const RankRate& rate);
[[nodiscard]] RankRate rank_rate_from_text(const std::string& text);

/// Rounds a second that all ranks together can go on with; 0 where nobody saw any: those of the slowest rank.
/// Ranks that share processors (more of them work than there are) have these by turns: of the replicas of
/// a short trial one is ahead of another, which catches up later, so that the mean of a node's ranks is what
/// each of them comes to. And they fill a pipeline, and empty it, faster than they go on: they are bounded
/// by what their work takes of the processors, as is a pipeline that was not full. Ranks that claim frames do
/// not wait for the slowest: together they do what each of them does.
[[nodiscard]] double rate_of(const std::vector<RankRate>& ranks);

}  // namespace takt::pipeline
