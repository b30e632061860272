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

  /// Reserves memory for constraints within an iteration, possibly as many as there are operations.
  void reserve(std::size_t constraints) { within_.reserve(constraints); }

  std::uint32_t add_variable() { return static_cast<std::uint32_t>(variables_++); }

  /// `turns` is the number of iterations by which `to` is later; negative: earlier.
  void require(std::uint32_t from, std::uint32_t to, Time weight, std::int32_t turns = 0) {
    (turns == 0 ? within_ : across_).push_back({from, to, weight, turns});
  }

  struct Solution {
    Time period{0};
    /// The least value of each variable.
    std::vector<Time> values;
  };

  /// Returns the smallest integer period, not below `period`, that has a solution, and its least solution.
  /// Raises the period to the mean of a violated cycle until there is none (Dinkelbach's method). Each trial
  /// takes O(m R), with R the most steps into a later iteration on a longest path, at most one per constraint
  /// with turns. Returns nothing if the constraints without turns have a cycle, or if a cycle that leads to
  /// no later iteration is infeasible.
  [[nodiscard]] std::optional<Solution> solve(Time period) const;

 private:
  struct Constraint {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    Time weight{0};
    std::int32_t turns = 0;
  };
  /// Values that grow until they satisfy the constraints, and for each the constraint that raised it last.
  struct Attempt;

  /// Returns the constraints within an iteration, each after those that can raise its `from`.
  [[nodiscard]] std::optional<std::vector<Constraint>> ordered() const;

  std::size_t variables_;
  std::vector<Constraint> within_;
  std::vector<Constraint> across_;
};

}  // namespace takt::logp
