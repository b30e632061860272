#pragma once
/// Finds the main deviation of a run from its plan.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/units.hpp"

namespace takt::pipeline {

/// Unplanned observations in one window of a run.
struct Deviation {
  struct SlowTask {
    std::string name;
    /// Per frame.
    Time takes, planned;
    /// CPU share of its ranks while working, at most 1.
    double had = 1;
    /// Time above plan as a share of the window.
    double excess = 0;
  };
  struct BusyRank {
    std::size_t rank = 0;
    /// Shares of its time; `planned` applies to the observed rate.
    double busy = 0, planned = 0, had = 1;
  };
  /// Tasks that exceed their planned time by a tenth or more. A task alone is reported from a quarter on;
  /// below that it only explains a rank or a rate.
  std::vector<SlowTask> tasks;
  /// Ranks that were planned to have spare time and have none.
  std::vector<BusyRank> ranks;
  /// Output rate, and the estimated limit of the busiest rank.
  Frequency output_rate, room;
  /// The required rate, if it is missed (`is_missed`) or about to be.
  std::optional<Frequency> required;
  bool is_missed = false;
  std::uint64_t dropped = 0;
  /// Length of the window in s.
  double seconds = 0;
};

/// Causes in a Diagnosis: other processes use the processors, or frames are too slow without a known reason.
inline constexpr const char *processors_cause = "processors", *rate_cause = "rate";

/// Report of a deviation.
struct Diagnosis {
  /// processors_cause, `task NAME`, `rank N` or rate_cause: the first of these that applies explains the
  /// following ones. Among several tasks it is the one that exceeds its planned time the most.
  std::string cause;
  /// Everything that the text mentions, including the cause; tasks slowed by other processes are left out.
  std::set<std::string> told;
  /// True if frames are too slow, or soon will be, or a notable share of them is dropped.
  bool misses_rate = false;
  /// The cause and its effects, with numbers; of the other tasks the next one and the number of the rest.
  std::string text;
};

/// Returns nothing if the run follows its plan.
[[nodiscard]] std::optional<Diagnosis> diagnosis_of(const Deviation& deviation);

}  // namespace takt::pipeline
