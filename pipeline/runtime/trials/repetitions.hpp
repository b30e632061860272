#pragma once
/// Collects the results of repetitions of trial runs, and decides when they suffice.

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// Results of the repetitions of one plan: throughputs in Hz, or times in ns.
class Repetitions {
 public:
  /// Adds the result of a repetition; 0: it has none.
  void add(double value);
  /// True if there are `least_repetitions` (constants.hpp) and the standard error of their mean is below
  /// `settled_error`, or if a repetition has no result.
  [[nodiscard]] bool are_settled() const;
  [[nodiscard]] std::size_t count() const { return count_; }
  /// Returns the median; 0 without results.
  [[nodiscard]] double median() const;
  /// Returns the range of the results; nothing without results.
  [[nodiscard]] std::optional<Spread> spread() const;

 private:
  std::size_t count_ = 0;
  /// Results other than 0.
  std::vector<double> values_;
};

/// Repeats the trial runs of these plans in alternation, so that a disturbance affects them alike. `repeat`
/// executes one repetition and returns its result. Ends when all plans are settled, or when `is_over` returns
/// true and each has `least_repetitions`. Returns the results in the order of `plans`.
[[nodiscard]] std::vector<Repetitions> repeat_in_alternation(const std::vector<std::size_t>& plans,
                                                             const std::function<double(std::size_t)>& repeat,
                                                             const std::function<bool()>& is_over);

}  // namespace takt::pipeline
