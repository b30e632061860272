#pragma once
/// Systems of difference constraints with one unknown period.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/units.hpp"

namespace takt::logp {

/// Constraints x_to + turns * T >= x_from + weight over variables x >= 0 and the period T.
class PeriodicConstraints {
 public:
  explicit PeriodicConstraints(std::size_t variables) : variables_(variables) {}

  /// Room for so many constraints within a repetition, which may be as many as there are operations.
  void reserve(std::size_t constraints) { within_.reserve(constraints); }

  std::uint32_t add_variable() { return static_cast<std::uint32_t>(variables_++); }

  /// `turns` is how many repetitions later `to` is; a negative number, how many earlier.
  void require(std::uint32_t from, std::uint32_t to, Time weight, std::int32_t turns = 0) {
    (turns == 0 ? within_ : across_).push_back({from, to, weight, turns});
  }

  struct Solution {
    Time period{0};
    /// The least value of each variable.
    std::vector<Time> values;
  };

  /// The smallest whole period, not below `period`, that has a solution, and its least solution. Raises the
  /// period to the mean of a violated circle until there is none (Dinkelbach's method); each trial takes O(m
  /// R), R the most steps into a later repetition on a longest path, at most one a constraint with turns.
  /// Nothing when the constraints without turns have a circle, or when a circle that leads to no later
  /// repetition cannot be obeyed.
  [[nodiscard]] std::optional<Solution> solve(Time period) const;

 private:
  struct Constraint {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    Time weight{0};
    std::int32_t turns = 0;
  };
  /// Values that grow until they obey the constraints, and for each the constraint that raised it last.
  struct Attempt;

  /// The constraints within a repetition, each after those that can raise its `from`.
  [[nodiscard]] std::optional<std::vector<Constraint>> ordered() const;

  std::size_t variables_;
  std::vector<Constraint> within_;
  std::vector<Constraint> across_;
};

}  // namespace takt::logp
