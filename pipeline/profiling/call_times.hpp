#pragma once
/// What the times of single calls say about what a stage costs.

#include <cstddef>
#include <optional>
#include <vector>

#include "core/units.hpp"

namespace takt::pipeline {

/// Frames that come seldom and cost a multiple of others.
struct RareCalls {
  /// Of all calls.
  double share = 0;
  /// The mean of theirs, and of the others.
  Time cost{0}, usual{0};

  friend bool operator==(const RareCalls&, const RareCalls&) = default;
};

/// The calls among the dearest twentieth that took more than four times as long as the dearest one below it;
/// nothing where they are fewer than three: one or two may have been disturbed.
[[nodiscard]] std::optional<RareCalls> rare_calls(const std::vector<Time>& times);

/// Whether such calls, however few, make up more than 8 % of all the time: then it takes more calls to know
/// what they cost. What a system does by itself, such as ticks of 40 us a millisecond, stays below that.
[[nodiscard]] bool may_have_rare_calls(const std::vector<Time>& times);

/// What a frame costs: the mean, since a stream meets cheap frames, dear ones, and the ticks of the system
/// that every tenth call pays for. Of a stateless stage without rare calls a call counts at most as much as
/// the dearest but one hundredth: what comes less often is a disturbance. One that keeps something may well
/// work through what it has gathered in every hundredth call. 0 without times.
[[nodiscard]] Time cost_of(const std::vector<Time>& times, bool is_stateless);

/// Of a stage that gives a frame for less than half of its calls, what such a call takes: their median;
/// nothing where fewer than two did, or half of them and more.
[[nodiscard]] std::optional<Time> cost_of_results(const std::vector<Time>& times,
                                                  const std::vector<bool>& gave);

/// Whether so many times have been seen, 40 at least, that more would tell nothing new: the middle half lies
/// within 5 % of the median, the standard error of a stateless stage's cost is below 2 %, and there is no
/// sign of rare calls.
[[nodiscard]] bool are_settled(const std::vector<Time>& times);

}  // namespace takt::pipeline
