#pragma once
/// The repetitions of trial runs, and when there are enough of them.

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// What one plan showed in its repetitions: rates in Hz, or times in ns.
class Repetitions {
 public:
  /// 0: the repetition showed nothing.
  void add(double value);
  /// Whether there are `least_repetitions` (constants.hpp), and the standard error of their mean is below
  /// `settled_error`, or one showed nothing.
  [[nodiscard]] bool are_settled() const;
  [[nodiscard]] std::size_t count() const { return count_; }
  /// 0 where none showed anything.
  [[nodiscard]] double median() const;
  /// Nothing where none showed anything.
  [[nodiscard]] std::optional<Spread> spread() const;

 private:
  std::size_t count_ = 0;
  /// Those that showed something.
  std::vector<double> values_;
};

/// Repeats the trial runs of these plans in alternation, so that a disturbance meets them alike: `repeat`
/// does one and gives what it showed. It ends when all are settled, or `is_over` says so and each has
/// `least_repetitions`. By plan of `plans`.
[[nodiscard]] std::vector<Repetitions> repeat_in_alternation(const std::vector<std::size_t>& plans,
                                                             const std::function<double(std::size_t)>& repeat,
                                                             const std::function<bool()>& is_over);

}  // namespace takt::pipeline
