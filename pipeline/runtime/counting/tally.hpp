#pragma once
/// What a rank counts while it works: written by its executor without locks, read by its monitor.

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

/// What a rank counts of the figures of one scope (protocol/figures.hpp), by their names.
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

  /// So far. Any thread.
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
  /// Of a source: the rank's waits for its frames, with nothing else to do.
  Tallies<Scope::intake> waits;
  /// Runs since the last one that was timed (Timeline), and how long that took: each of them stands for those
  /// before it; and the look (Timeline) in which it worked last. For the executor alone.
  std::uint64_t untimed = 0;
  std::int64_t last_ns = 0;
  std::uint64_t looks = 0;

  /// Frames of the source that it took in, less those for which what it gave stands: what it may keep. For
  /// the executor alone.
  std::uint64_t kept = 0;
  static constexpr std::uint64_t unknown = std::uint64_t{1} << 63;

  /// A kernel took in, and gave, frames that stand for so many of the source's.
  void balance(std::uint64_t taken, std::uint64_t stood_for) {
    kept += taken;
    if (stood_for > kept) counts["overstated"].add(stood_for - kept);
    kept -= std::min(stood_for, kept);
  }
  /// It has worked for so long.
  void ran(std::int64_t duration_ns) {
    counts["runs"].add(1);
    time_runs(duration_ns, untimed + 1);
  }
  /// It has worked, and nobody has looked at the clock.
  void ran_untimed() {
    counts["runs"].add(1);
    ++untimed;
  }
  /// Nothing comes after this: what was not timed has taken as long as what was.
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
  /// Of the delivered frames, those that were not written, since the user had stopped that.
  Tally held_back;
};

/// How long a rank has waited for another one: for its frames, and for it to take some.
using WaitTally = Tallies<Scope::peer>;

/// One a rank, as soon as it is known how many there are; who looks on from another thread sees none before.
class WaitTallies {
 public:
  /// Before the rank waits for any of so many. Only the first call counts.
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

/// Goes on when the plan changes.
struct RankTally {
  explicit RankTally(std::size_t stage_count) : stages(stage_count), sinks(stage_count) {}

  /// One a stage of the pipeline; only those placed on this rank count.
  std::vector<StageTally> stages;
  std::vector<SinkTally> sinks;
  /// By rank.
  WaitTallies waits;
  /// What the loop's time went into, and what else is counted of the rank.
  UseTallies uses;
  Tallies<Scope::rank> counts;
  /// When the stream's end has come to the rank, before a kernel here gives its rest: how long it has worked,
  /// and for how long its thread has had a processor.
  Tally worked_ns, processor_ns;
  /// What sinks write and what is counted of it.
  mutable WriteGate writes;

  [[nodiscard]] std::uint64_t time_of(Use use) const { return uses[static_cast<std::size_t>(use)].value(); }
  /// So far.
  [[nodiscard]] std::uint64_t work_ns() const {
    return time_of(Use::compute) + time_of(Use::message) + time_of(Use::other);
  }
};

}  // namespace takt::pipeline
