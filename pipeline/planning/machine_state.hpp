#pragma once
/// States of a machine whose processors a host moves, told by what two of them take to hand something over
/// (pipeline/engine/hand_over.hpp).

#include <algorithm>
#include <optional>

namespace takt::pipeline {

/// Whether both times were seen in one state: they differ by less than 1.5 times. What is not known is like
/// everything.
[[nodiscard]] inline bool are_of_one_state(std::optional<double> a, std::optional<double> b) {
  constexpr double apart = 1.5;
  return !a || !b || std::max(*a, *b) < apart * std::min(*a, *b);
}

}  // namespace takt::pipeline
