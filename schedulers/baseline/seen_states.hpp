#pragma once
/// Visited partial schedules of a search, for pruning of dominated ones.

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/units.hpp"

namespace takt::schedulers {

/// Compares states with equal keys. A state dominates another if its order is no later, in lexicographic
/// order, and none of its values is larger.
class SeenStates {
 public:
  using Order = std::array<std::int64_t, 3>;

  /// Stores at most this many numbers; further states are compared, but not stored.
  explicit SeenStates(std::size_t most_numbers) : most_numbers_(most_numbers) {}

  /// Returns whether a stored state dominates this one; otherwise stores it. States of one key have equally
  /// many values. O(k (key + values)) for k states of the key, of which the last 16 are compared.
  bool covers_or_add(std::span<const std::uint64_t> key, const Order& order,
                     std::span<const std::int64_t> values);

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct State {
    std::uint32_t first = 0;
    std::uint32_t next = none;
    Order order{};
  };

  std::size_t most_numbers_;
  std::unordered_map<std::uint64_t, std::uint32_t> first_of_;
  std::vector<State> states_;
  /// Of each state its key, then its values.
  std::vector<std::int64_t> numbers_;
};

}  // namespace takt::schedulers
