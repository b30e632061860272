#pragma once
/// Notices while a run goes on that it is not what was planned.

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

/// Looks at a run several times a second and says with numbers when over a window of some seconds (5)
///   * a task takes much longer for a frame than was planned,
///   * a rank that was planned to have time to spare has none, or
///   * frames come out more slowly than is required, soon will, or are dropped;
/// all of it in one sentence (deviation.hpp), and once (deviation_report.hpp); and of a source that it has
/// given nothing for two windows since it began, or has given less than is required for as long while its
/// ranks waited for it: then nothing is off the plan. The first window is for caches and queues to fill.
/// Nothing is said of a run that ends.
class RunWatch {
 public:
  explicit RunWatch(Time window = usual_window) : window_ns_(window.count()), deviations_(window) {}

  /// What is new since the last look; `now` is now_ns().
  [[nodiscard]] std::vector<std::string> look(const RunRecord& record, std::int64_t now);
  /// The run goes by another plan from now on: it has its time to begin again, and what was said stays said.
  void begin_again();

  /// Whether the last look found something of the kind, said before or not; and what the window before it has
  /// shown, where it is full.
  [[nodiscard]] bool is_off_plan() const { return is_off_plan_; }
  [[nodiscard]] std::optional<Observed> observed() const;

 private:
  /// What had happened until a moment.
  struct Moment {
    std::int64_t at = 0;
    struct Work {
      std::uint64_t runs = 0, total_ns = 0;
    };
    /// By stage.
    std::vector<Work> stages;
    struct Use {
      std::uint64_t busy_ns = 0, all_ns = 0;
      /// Of a processor, and ready for it while others had it, as far as it was watched.
      std::uint64_t used_ns = 0, delayed_ns = 0;
      /// Waiting for any source of its own.
      std::uint64_t awaited_ns = 0;
    };
    /// By rank.
    std::vector<Use> ranks;
    struct Intake {
      /// Frames that it gave, or would have given to a pipeline that keeps up.
      std::uint64_t came = 0;
      /// By rank that has it: how long that has waited for it.
      std::map<std::size_t, std::uint64_t> awaited_ns;
    };
    /// By stage, of sources.
    std::map<std::size_t, Intake> sources;
    /// At the slowest sink, and at all sources.
    std::uint64_t passed = 0, dropped = 0;
    std::size_t most_ranks_on_a_host = 0;
  };
  [[nodiscard]] static Moment moment_of(const RunRecord& record, std::int64_t now);

  /// A source that gives less than is required.
  struct Shortage {
    std::size_t stage = 0;
    Frequency gives, required;
    /// The part of the time in which its rank waited for it.
    double awaited = 0;
  };
  /// Why the required rate is missed, where a source is why: it gives less, and in the time in which its
  /// rank did not wait for its sources frames came out as fast as is required. Of several the one that was
  /// awaited most: those that come together with it give no more.
  [[nodiscard]] static std::optional<Shortage> shortage_in(const RunPlan& plan, const Moment& then,
                                                           const Moment& now);
  [[nodiscard]] static Deviation deviation_from(const RunPlan& plan, const Moment& then, const Moment& now);
  /// What is to be said of a source that gives less than is required.
  [[nodiscard]] std::vector<std::string> look_at_shortage(const RunPlan& plan,
                                                          const std::optional<Shortage>& shortage,
                                                          std::int64_t now);
  /// What is to be said of sources that give nothing.
  [[nodiscard]] std::vector<std::string> look_at_sources(const RunRecord& record);

  std::int64_t window_ns_;
  /// Of the last window, the newest at the back.
  std::deque<Moment> moments_;
  std::int64_t first_ = 0;
  bool is_full_ = false, is_off_plan_ = false;
  DeviationReport deviations_;
  /// Of which it was said.
  std::set<std::string> silent_sources_;
  /// Since when a source has given less than is required; of which it was said.
  std::optional<std::int64_t> short_since_;
  std::set<std::size_t> short_sources_;
  /// Whether a source had given nothing at the last look.
  bool was_silent_ = false;
};

}  // namespace takt::pipeline
