#pragma once
/// End times of the iterations of a trial run, and the rate that they show.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace takt::pipeline {

/// Times of one sink, by iteration: when the sink finished the last frame, and when the source had ingested
/// that frame (0 if no frame was left). CLOCK_MONOTONIC of the source's host, in ns.
struct IterationTimes {
  std::vector<std::int64_t> ended_ns;
  std::vector<std::int64_t> ingested_ns;

  void reserve(std::size_t rounds) {
    ended_ns.reserve(rounds);
    ingested_ns.reserve(rounds);
  }
};

/// Returns the iterations/s of a full pipeline: a pipeline that fills or drains has fewer ranks at work. Two
/// moments before the last source frame determine the rate. They have equally many iterations in flight, a
/// multiple of `cycle` iterations apart (hyperperiod.hpp); the first `skipped` iterations do not count.
/// Returns nothing for fewer than `least` iterations, or no whole cycle, between the moments. O(iterations).
[[nodiscard]] std::optional<double> steady_rate(const IterationTimes& times, std::size_t skipped,
                                                std::size_t least, std::size_t cycle = 1);

/// Returns the mean iterations/s between the first iteration that is not skipped and the last, in a full
/// pipeline or not; nothing without two such iterations. If they span less than a cycle, it uses all of them.
[[nodiscard]] std::optional<double> mean_rate(const IterationTimes& times, std::size_t skipped,
                                              std::size_t cycle = 1);

/// Rate and CPU use that one rank measured in a trial run.
struct RankRate {
  /// Iterations/s of its slowest sink (infinite without a sink), and whether the pipeline was full.
  double hertz = std::numeric_limits<double>::infinity();
  bool is_steady = true;
  /// CPU time of the rank per iteration (0 without a task), the number of its node, and the number of
  /// processors of that node.
  double processor_ns = 0;
  int node = 0;
  int cores = 1;
  /// With self-scheduling: one iteration of the rank as a fraction of a repetition; 0 otherwise.
  double claimed = 0;
};

[[nodiscard]] std::string to_text(const RankRate& rate);
[[nodiscard]] RankRate rank_rate_from_text(const std::string& text);

/// Returns the iterations/s that all ranks sustain together; 0 if no rank has a rate. It is the rate of the
/// slowest rank. On an oversubscribed node (more working ranks than processors), the mean of its ranks
/// counts: in a short trial run, one replica is ahead of another, which catches up later. Such ranks also
/// fill and drain a pipeline faster than they sustain it. So the CPU time of their work is a second bound, as
/// for a pipeline that was not full. Ranks that self-schedule frames do not wait for the slowest rank: their
/// rates add up.
[[nodiscard]] double rate_of(const std::vector<RankRate>& ranks);

}  // namespace takt::pipeline
