#pragma once
/// In what a run differs from its plan, and the one thing to say of it.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/units.hpp"

namespace takt::pipeline {

/// What a window of a run has shown that was not planned.
struct Deviation {
  struct SlowTask {
    std::string name;
    /// For a frame.
    Time takes, planned;
    /// What its ranks had of a processor while at work, at most 1.
    double had = 1;
    /// Of the window's time, what it took more than planned.
    double excess = 0;
  };
  struct BusyRank {
    std::size_t rank = 0;
    /// Shares of its time; `planned` is of a run at the rate that was seen.
    double busy = 0, planned = 0, had = 1;
  };
  /// Those that take notably more than planned: a tenth. By themselves only such are worth a word that take
  /// a quarter more; the others explain a rank or a rate.
  std::vector<SlowTask> tasks;
  /// Those that were to have time to spare, and have none.
  std::vector<BusyRank> ranks;
  /// What came out, and what the busiest rank leaves room for.
  Frequency comes_out, room;
  /// Nothing when no rate is required, or it is neither missed nor about to be (`is_missed`: the former).
  std::optional<Frequency> required;
  bool is_missed = false;
  std::uint64_t dropped = 0;
  /// The window's length, s.
  double seconds = 0;
};

/// Of a Diagnosis: that others use the processors, and that frames come too slowly for no other reason.
inline constexpr const char *processors_cause = "processors", *rate_cause = "rate";

/// What is said of a deviation.
struct Diagnosis {
  /// processors_cause, `task NAME`, `rank N` or rate_cause: the first of these that holds is what the others
  /// follow from, of several tasks that which takes most time more than planned.
  std::string cause;
  /// All of which it tells, the cause among them; of tasks only what they do by themselves.
  std::set<std::string> told;
  /// Whether frames come out too slowly, or soon will, or a notable part of them is dropped.
  bool misses_rate = false;
  /// The cause and what comes of it, with numbers; of other tasks the next and how many more.
  std::string text;
};

/// Nothing where it is as planned.
[[nodiscard]] std::optional<Diagnosis> diagnosis_of(const Deviation& deviation);

}  // namespace takt::pipeline
