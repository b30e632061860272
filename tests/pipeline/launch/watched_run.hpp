#pragma once
/// A run on a simulated clock, for tests of its watch.

#include <cstdint>

#include <gtest/gtest.h>

#include "pipeline/protocol/run_record.hpp"

namespace takt::pipeline::test {

inline constexpr std::int64_t second = 1'000'000'000;

/// One rank with a source, a task of 2 ms and a sink, whose rates and times can be changed.
class WatchedRun : public ::testing::Test {
 protected:
  WatchedRun() {
    record_.plan = RunPlan{.pipeline = "test",
                           .ranks = 1,
                           .stages = {{"in", "synthetic", "source", {}, {0}, 1'000, "int8[1]"},
                                      {"work", "spin", "kernel", {0}, {0}, 2'000'000, "int8[1]"},
                                      {"out", "null", "sink", {1}, {0}, 1'000, "int8[1]"}},
                           .predicted_hz = 500,
                           .required_hz = 100,
                           .predicted_busy = {1.0}};
    RankStatus rank{.phase = Phase::running, .task = "work"};
    rank.stages = {{.stage = 0}, {.stage = 1}, {.stage = 2}};
    rank.sources.push_back({.stage = 0, .counts = {{"ingested", 1}}});
    rank.sinks.push_back({.stage = 2});
    rank.waits = {{.rank = 1}};
    record_.ranks = {rank};
  }

  /// Advances the clock by a fifth of a second.
  void pass() {
    now_ += second / 5;
    RankStatus& rank = *record_.ranks[0];
    rank.stages[1].counts["runs"] += hertz_ / 5;
    rank.stages[1].counts["work"] += hertz_ / 5 * task_ns_;
    rank.counts["compute"] += hertz_ / 5 * task_ns_;
    rank.counts["used"] += hertz_ / 5 * used_ns_;
    rank.counts["delayed"] += hertz_ / 5 * delayed_ns_;
    const std::int64_t waits = second / 5 - static_cast<std::int64_t>(hertz_ / 5 * task_ns_);
    rank.counts["starved"] += static_cast<std::uint64_t>(waits);
    const auto for_others = static_cast<std::uint64_t>(for_others_ * static_cast<double>(waits));
    rank.waits[0].counts["starved"] += for_others;
    rank.sources.back().waits["starved"] += static_cast<std::uint64_t>(waits) - for_others;
    rank.sinks[0].counts["passed"] += hertz_ / 5;
    // One that has given nothing goes on like that.
    for (SourceStatus& source : rank.sources)
      if (source.counts["ingested"] > 0) source.counts["ingested"] += hertz_ / 5;
    rank.sources[0].counts["dropped"] += dropped_hz_ / 5;
  }

  RunRecord record_;
  std::uint64_t hertz_ = 100, task_ns_ = 2'000'000, dropped_hz_ = 0;
  /// Processor time per frame, and time ready to run but descheduled; 0: not watched.
  std::uint64_t used_ns_ = 0, delayed_ns_ = 0;
  /// The share of waiting that is not for the source.
  double for_others_ = 0;
  std::int64_t now_ = 100 * second;
};

}  // namespace takt::pipeline::test
