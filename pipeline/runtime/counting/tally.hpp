#pragma once
/// Counters of a rank at work: its executor writes them without locks, its monitor reads them.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/units.hpp"
#include "pipeline/protocol/histogram.hpp"
#include "pipeline/runtime/counting/timeline.hpp"
#include "pipeline/runtime/counting/write_gate.hpp"
#include "sensors/frames/counter.hpp"

namespace takt::pipeline {

using sensors::Tally;

struct StageTally {
  /// Frames that the stage consumed (a source: produced); `total_ns` is the time of this work.
  Tally runs;
  /// Frames that the stage produced, including those that a kernel flushes at the end of the stream.
  Tally given;
  /// Source frames that the output stands for (FrameHeader::combined) and that the stage did not consume:
  /// above 0 if a kernel reports a wrong number.
  Tally overstated;
  Tally total_ns;
  /// Of a source: how long the rank waited for its frames without other work.
  Tally awaited_ns;
  Histogram time;
  /// Calls since the last timed one (Timeline), the duration of that one (it also stands for untimed calls
  /// before it), and its timing sample (Timeline::looks). For the executor's thread only.
  std::uint64_t untimed = 0;
  std::int64_t last_ns = 0;
  std::uint64_t looks = 0;

  /// Source frames consumed minus source frames that the output stands for: what the kernel may still hold.
  /// For the executor's thread only.
  std::uint64_t kept = 0;
  static constexpr std::uint64_t unknown = std::uint64_t{1} << 63;

  /// Counts the source frames that a kernel consumed, and those that its output stands for.
  void balance(std::uint64_t taken, std::uint64_t stood_for) {
    kept += taken;
    if (stood_for > kept) overstated.add(stood_for - kept);
    kept -= std::min(stood_for, kept);
  }
  /// Counts a call of this duration.
  void ran(std::int64_t duration_ns) {
    runs.add(1);
    time_runs(duration_ns, untimed + 1);
  }
  /// Counts a call that was not timed.
  void ran_untimed() {
    runs.add(1);
    ++untimed;
  }
  /// Ends the count: the last untimed calls get the duration of the last timed one.
  void end() {
    if (untimed > 0) time_runs(last_ns, untimed);
  }

 private:
  void time_runs(std::int64_t duration_ns, std::uint64_t count) {
    total_ns.add(static_cast<std::uint64_t>(duration_ns) * count);
    time.record(Time(duration_ns), count);
    last_ns = duration_ns;
    untimed = 0;
  }
};

struct SinkTally {
  /// Source frames that ended at this sink, whether anything of them was delivered or not.
  Tally passed;
  /// Source frames that the delivered frames stand for (FrameHeader::combined); the most that one delivered
  /// frame stands for.
  Tally delivered;
  Tally most_combined;
  /// Of these, frames that kernels flushed at end of stream: their time does not count towards throughput.
  Tally rest;
  /// Of these, frames that were not written because the user held the sinks.
  Tally held_back;
  /// Frames except those cut off by the end of the stream, whose time depends on how the source detects it.
  Tally timed;
  /// CLOCK_MONOTONIC of the last timed frame of the first repetition (the first frame if a repetition holds
  /// one frame), and of the last timed frame.
  Tally first_ns;
  Tally last_ns;
  /// Time from the ingestion of a frame to its end at this sink.
  Histogram latency;
};

/// How long a rank has waited for another rank: for its frames (starved), and for room there (blocked).
struct WaitTally {
  Tally starved_ns, blocked_ns;
};

/// One tally per rank, created when the number of ranks is known; other threads see none before.
class WaitTallies {
 public:
  /// Creates the tallies, before the first wait of the rank. Only the first call has an effect.
  void make(std::size_t ranks) {
    if (size() > 0) return;
    of_ranks_ = std::vector<WaitTally>(ranks);
    count_.store(ranks, std::memory_order_release);
  }
  [[nodiscard]] std::size_t size() const { return count_.load(std::memory_order_acquire); }
  [[nodiscard]] WaitTally& operator[](int rank) { return of_ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const WaitTally& operator[](int rank) const {
    return of_ranks_[static_cast<std::size_t>(rank)];
  }

 private:
  std::vector<WaitTally> of_ranks_;
  std::atomic<std::size_t> count_{0};
};

/// All counters of a rank. They continue when the plan changes.
struct RankTally {
  explicit RankTally(std::size_t stage_count) : stages(stage_count), sinks(stage_count) {}

  /// By stage of the pipeline; only stages placed on this rank count.
  std::vector<StageTally> stages;
  std::vector<SinkTally> sinks;
  /// Waits, by the rank waited for.
  WaitTallies waits;
  /// Time of the loop, by use.
  UseTallies uses;
  /// When the end of the stream reaches the rank, before a kernel here flushes: how long the rank has worked,
  /// and the CPU time of its thread.
  Tally worked_ns, processor_ns;
  /// Makes writing to a sink and counting it one step.
  mutable WriteGate writes;

  [[nodiscard]] std::uint64_t time_of(Use use) const { return uses[static_cast<std::size_t>(use)].value(); }
  /// Returns how long the rank has worked so far.
  [[nodiscard]] std::uint64_t work_ns() const {
    return time_of(Use::compute) + time_of(Use::message) + time_of(Use::other);
  }
};

}  // namespace takt::pipeline
