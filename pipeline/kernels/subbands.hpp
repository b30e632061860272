#pragma once
/// Sums along many sets of delays in two steps: first over the channels of each subband, with the delays of
/// one trial for a group of trials, then over subbands with each trial's own delays.
///
/// Trials share a group while no channel's error exceeds `tolerance` rows, which is checked for every
/// channel and trial, including rounding. With C channels, D trials, S subbands and G groups this takes
/// G C T + D S T additions instead of D C T; S is the power of 2, among several, with the fewest
/// additions.
///
/// Source: the subband method of Lorimer and Kramer, "Handbook of pulsar astronomy" (2005), 5.2.1; the groups
/// are takt's own.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/group.hpp"
#include "pipeline/tasks.hpp"

namespace takt::pipeline {

/// Delay of each channel of each trial in rows: [trial][channel], `channels` each.
struct TrialDelays {
  std::span<const std::size_t> rows;
  std::size_t channels = 1;
  [[nodiscard]] std::size_t trials() const { return rows.size() / channels; }
  [[nodiscard]] std::size_t of(std::size_t trial, std::size_t channel) const {
    return rows[trial * channels + channel];
  }
};

/// Returns the number of parts in which `trials` trials are computed: some more than cores, so that none
/// waits for the last one.
[[nodiscard]] constexpr std::size_t parts_for(std::size_t cores, std::size_t trials) {
  constexpr std::size_t parts_per_core = 4;
  return cores == 1 ? 1 : std::min(trials, parts_per_core * cores);
}

/// to[t] += from[t].
void add_rows(const float* __restrict from, float* __restrict to, std::size_t count);
/// Adds the values that are not NaN of these rows, one row after the other, and counts them.
void add_present_rows(std::span<const float* const> rows, float* to, float* present, std::size_t count);

/// A plan of shared sums.
struct SubbandPlan {
  /// Channels of a subband; the last one may have fewer.
  std::size_t width = 1;
  struct Group {
    std::size_t first = 0, last = 0;
    /// The trial whose delays are used within subbands.
    [[nodiscard]] std::size_t middle() const { return (first + last) / 2; }
  };
  std::vector<Group> groups;
  /// By subband, its least delayed channel, which represents it.
  std::vector<std::size_t> references;
  /// Additions for a block of rows.
  double additions = 0;

  /// Returns the delay of the channel in rows in this trial of this group.
  [[nodiscard]] std::size_t delay(const TrialDelays& delays, const Group& group, std::size_t trial,
                                  std::size_t channel) const;
};

/// Returns the cheapest plan for blocks of this number of rows; nothing if none is cheaper than sums channel
/// by channel. O(D C log D) for each of several sizes of subbands.
[[nodiscard]] std::optional<SubbandPlan> plan_subbands(const TrialDelays& delays, std::size_t rows,
                                                       std::size_t tolerance);

/// Computes the sums, with memory for them.
class SubbandSums {
 public:
  SubbandSums(const TrialDelays& delays, SubbandPlan plan, std::size_t rows);

  /// Returns the largest delay of any channel.
  [[nodiscard]] std::size_t most_delay() const { return most_delay_; }

  /// Allocates the memory for tasks on this number of cores.
  void use_cores(std::size_t cores);

  /// `window` is [channel][length] with length at least rows + most_delay. Calls `give(trial, sums, present)`
  /// for each trial, from several tasks, with the sums of its rows and, with holes, the number of values in
  /// each that are not NaN.
  template <class Give>
  void add(Tasks& tasks, const TrialDelays& delays, const float* window, std::size_t length, bool has_holes,
           Give give) {
    for (const SubbandPlan::Group& group : plan_.groups) {
      tasks.parallel_for(plan_.references.size(), [&](std::size_t subband) {
        add_channels(delays, group, subband, window, length, has_holes);
      });
      const std::size_t parts = sums_.size() / rows_, trials = group.last + 1 - group.first;
      tasks.parallel_for(
          std::min(parts, trials),
          [&](std::size_t part) {
            const std::span sums = std::span(sums_).subspan(part * rows_, rows_);
            const std::span counts = std::span(counts_).subspan(part * rows_, rows_);
            const Block block = block_of(trials, std::min(parts, trials), part);
            for (std::size_t i = block.begin; i < block.end; ++i) {
              add_subbands(delays, group, group.first + i, has_holes, sums, counts);
              give(group.first + i, std::span<const float>(sums), std::span<const float>(counts));
            }
          },
          1);
    }
  }

 private:
  void add_channels(const TrialDelays& delays, const SubbandPlan::Group& group, std::size_t subband,
                    const float* window, std::size_t length, bool has_holes);
  void add_subbands(const TrialDelays& delays, const SubbandPlan::Group& group, std::size_t trial,
                    bool has_holes, std::span<float> sums, std::span<float> counts) const;

  SubbandPlan plan_;
  std::size_t rows_, most_delay_ = 0, series_rows_ = 0;
  /// [subband][series_rows_], from the subband's delay in the group's first trial on; and numbers of values.
  std::vector<float> series_, series_counts_;
  /// [part][rows], for parts of a group's trials.
  std::vector<float> sums_, counts_;
};

}  // namespace takt::pipeline
