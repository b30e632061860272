#pragma once
/// Counters of a rank at work: its executor writes them without locks, its monitor reads them.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/units.hpp"
#include "pipeline/protocol/figure_values.hpp"
#include "pipeline/runtime/counting/timeline.hpp"
#include "pipeline/runtime/counting/write_gate.hpp"
#include "sensors/frames/counter.hpp"

namespace takt::pipeline {

using sensors::Tally;

/// Counters of a rank for the figures of one scope (protocol/figures.hpp), by name.
template <Scope scope>
class Tallies {
 public:
  // Inline for sure, as Tally::add is.
  [[nodiscard, gnu::always_inline]] Tally& operator[](FigureName<scope, RowKind::counts> name) {
    return values_[name.index()];
  }
  [[nodiscard]] const Tally& operator[](FigureName<scope, RowKind::counts> name) const {
    return values_[name.index()];
  }
  [[nodiscard, gnu::always_inline]] Histogram& histogram(FigureName<scope, RowKind::histograms> name) {
    return histograms_[name.index()];
  }
  [[nodiscard]] const Histogram& histogram(FigureName<scope, RowKind::histograms> name) const {
    return histograms_[name.index()];
  }

  /// Returns the present values. Any thread.
  [[nodiscard]] Counts<scope> counts() const {
    Counts<scope> counts;
    Counts<scope>::each_count(counts, [&, i = std::size_t{0}](const Figure&, std::uint64_t& value) mutable {
      value = values_[i++].value();
    });
    Counts<scope>::each_histogram(counts, [&, i = std::size_t{0}](const Figure&, Buckets& buckets) mutable {
      buckets = histograms_[i++].buckets();
    });
    return counts;
  }

 private:
  std::array<Tally, figure_rows<scope, RowKind::counts>.size()> values_;
  std::array<Histogram, figure_rows<scope, RowKind::histograms>.size()> histograms_;
};

struct StageTally {
  Tallies<Scope::task> counts;
  /// Of a source: how long the rank waited for its frames without other work.
  Tallies<Scope::intake> waits;
  /// Calls since the last timed one (Timeline), the duration of that one (it also stands for untimed calls
  /// before it), and its timing sample (Timeline::sample_number). For the executor's thread only.
  std::uint64_t untimed = 0;
  std::int64_t last_ns = 0;
  std::uint64_t sample_number = 0;

  /// Source frames consumed minus source frames that the output stands for: what the kernel may still hold.
  /// For the executor's thread only.
  std::uint64_t kept = 0;
  static constexpr std::uint64_t unknown = std::uint64_t{1} << 63;

  /// Counts the source frames that a kernel consumed, and those that its output stands for.
  void balance(std::uint64_t taken, std::uint64_t stood_for) {
    kept += taken;
    if (stood_for > kept) counts["overstated"].add(stood_for - kept);
    kept -= std::min(stood_for, kept);
  }
  /// Counts a call of this duration.
  void ran(std::int64_t duration_ns) {
    counts["runs"].add(1);
    time_runs(duration_ns, untimed + 1);
  }
  /// Counts a call that was not timed.
  void ran_untimed() {
    counts["runs"].add(1);
    ++untimed;
  }
  /// Ends the count: the last untimed calls get the duration of the last timed one.
  void end() {
    if (untimed > 0) time_runs(last_ns, untimed);
  }

 private:
  void time_runs(std::int64_t duration_ns, std::uint64_t count) {
    counts["work"].add(static_cast<std::uint64_t>(duration_ns) * count);
    counts.histogram("time").record(Time(duration_ns), count);
    last_ns = duration_ns;
    untimed = 0;
  }
};

struct SinkTally {
  Tallies<Scope::sink> counts;
  /// Delivered frames that were not written because the user held the sinks.
  Tally held_back;
};

/// How long a rank has waited for another rank: for its frames (starved), and for room there (blocked).
using WaitTally = Tallies<Scope::peer>;

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
  /// Time of the loop by use, and other counts of the rank.
  UseTallies uses;
  Tallies<Scope::rank> counts;
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
