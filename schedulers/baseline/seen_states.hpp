#pragma once
/// Partial schedules that a search has met, so that it need not go on from one that is no better anywhere.

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/units.hpp"

namespace takt::schedulers {

/// States are compared that have equal keys. One is no worse than another if its order is no later, in
/// lexicographic order, and none of its values is larger.
class SeenStates {
 public:
  using Order = std::array<std::int64_t, 3>;

  /// Keeps at most so many numbers; states beyond are compared, but not kept.
  explicit SeenStates(std::size_t most_numbers) : most_numbers_(most_numbers) {}

  /// Whether a state that is no worse has been seen; otherwise the state is kept. States of one key have
  /// equally many values. O(k (key + values)) for k states of the key, of which the last 16 are looked at.
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
