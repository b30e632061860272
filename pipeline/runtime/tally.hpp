#pragma once
/// What a rank counts while it works: written by its executor without locks, read by its monitor.

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/units.hpp"
#include "pipeline/runtime/histogram.hpp"

namespace takt::pipeline {

/// A number with one writer and any readers.
class Count {
 public:
  void add(std::uint64_t amount) { value_.store(get() + amount, std::memory_order_relaxed); }
  void set(std::uint64_t value) { value_.store(value, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// Nanoseconds of CLOCK_MONOTONIC.
[[nodiscard]] std::int64_t monotonic_ns();

struct StageTally {
  /// Times that the stage worked, and how long.
  Count runs;
  Count total_ns;
  Histogram time;
};

struct SinkTally {
  /// Frames that came to their end here, and those of them that a kernel before had gathered into another
  /// one.
  Count delivered;
  Count absorbed;
  /// CLOCK_MONOTONIC of the first and the last of them.
  Count first_ns;
  Count last_ns;
  /// From a frame's ingestion to its end here.
  Histogram latency;
};

struct RankTally {
  explicit RankTally(std::size_t stage_count) : stages(stage_count), sinks(stage_count) {}

  /// One a stage of the pipeline; only those placed on this rank count.
  std::vector<StageTally> stages;
  std::vector<SinkTally> sinks;
  Count compute_ns;
  Count overhead_ns;
  Count wait_ns;
  /// Frames that one source gave after another one had ended, and that were not used.
  Count discarded;
  /// Stage at work, plus one; 0 between stages. Names the task when a rank dies.
  Count current;
};

}  // namespace takt::pipeline
