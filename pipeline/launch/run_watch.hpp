#pragma once
/// Detects during a run that it deviates from its plan.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/constants.hpp"
#include "pipeline/launch/deviation.hpp"
#include "pipeline/launch/deviation_report.hpp"
#include "pipeline/planning/adaptation.hpp"
#include "pipeline/protocol/run_record.hpp"

namespace takt::pipeline {

/// Watches a run, several times a second. It reports, with numbers, if over a window (5 s by default)
///   * a task takes much longer per frame than planned,
///   * a rank that was planned to have spare time has none, or
///   * frames come out more slowly than required, soon will, or are dropped.
/// These form one sentence (deviation.hpp), reported once (deviation_report.hpp). It also reports a source
/// without frames for the first two windows, and a source below the required rate for two windows while its
/// ranks wait for it; the plan is not at fault then. The first window is ignored, since caches and queues
/// fill, and so is a run that ends.
class RunWatch {
 public:
  explicit RunWatch(Time window = usual_window) : window_ns_(window.count()), deviations_(window) {}

  /// Returns the reports since the last look; `now` is now_ns().
  [[nodiscard]] std::vector<std::string> look(const RunRecord& record, std::int64_t now);
  /// Restarts the watch after a change of plan; earlier reports are not repeated.
  void begin_again();

  /// Return whether the last look found a deviation, reported before or not, and the observations of the last
  /// window, if it is full.
  [[nodiscard]] bool is_off_plan() const { return is_off_plan_; }
  [[nodiscard]] std::optional<Observed> observed() const;

 private:
  /// Totals at a moment.
  struct Moment {
    std::int64_t at = 0;
    struct Work {
      std::uint64_t runs = 0, total_ns = 0;
    };
    /// By stage.
    std::vector<Work> stages;
    struct Use {
      std::uint64_t busy_ns = 0, all_ns = 0;
      /// CPU time used, and time ready to run while other processes had the CPU, if measured.
      std::uint64_t used_ns = 0, delayed_ns = 0;
      /// Time waiting for its own sources.
      std::uint64_t awaited_ns = 0;
    };
    /// By rank.
    std::vector<Use> ranks;
    struct Intake {
      /// Frames that it produced, or would have produced for a pipeline that keeps up.
      std::uint64_t came = 0;
      /// By rank of the source: how long it has waited for it.
      std::map<std::size_t, std::uint64_t> awaited_ns;
    };
    /// By stage; sources only.
    std::map<std::size_t, Intake> sources;
    /// Frames at the slowest sink, and dropped frames of all sources.
    std::uint64_t passed = 0, dropped = 0;
    std::size_t most_ranks_on_a_host = 0;
  };
  [[nodiscard]] static Moment moment_of(const RunRecord& record, std::int64_t now);

  /// A source below the required rate.
  struct Shortage {
    std::size_t stage = 0;
    Frequency gives, required;
    /// Share of the time in which its rank waited for it.
    double awaited = 0;
  };
  /// Returns the source that causes a missed rate, if any: its rate is too low, and while its rank did not
  /// wait for sources, the output rate was sufficient. Among several it is the one awaited most: sources
  /// joined with it cannot be faster.
  [[nodiscard]] static std::optional<Shortage> shortage_in(const RunPlan& plan, const Moment& then,
                                                           const Moment& now);
  [[nodiscard]] static Deviation deviation_from(const RunPlan& plan, const Moment& then, const Moment& now);
  /// Returns reports about a source below the required rate.
  [[nodiscard]] std::vector<std::string> look_at_shortage(const RunPlan& plan,
                                                          const std::optional<Shortage>& shortage,
                                                          std::int64_t now);
  /// Returns reports about sources without frames.
  [[nodiscard]] std::vector<std::string> look_at_sources(const RunRecord& record);

  std::int64_t window_ns_;
  /// Moments of the last window, newest last.
  std::deque<Moment> moments_;
  std::int64_t first_ = 0;
  bool is_full_ = false, is_off_plan_ = false;
  DeviationReport deviations_;
  /// Sources already reported.
  std::set<std::string> silent_sources_;
  /// When a source fell below the required rate; those already reported.
  std::optional<std::int64_t> short_since_;
  std::set<std::size_t> short_sources_;
  /// True if a source had produced nothing at the last look.
  bool was_silent_ = false;
};

}  // namespace takt::pipeline
