#include "schedulers/baseline/seen_states.hpp"

#include <algorithm>

namespace takt::schedulers {

namespace {

constexpr int most_looked_at = 16;

/// FNV-1a over words, mixed.
std::uint64_t hash_of(std::span<const std::uint64_t> key) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::uint64_t word : key) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

bool SeenStates::covers_or_add(std::span<const std::uint64_t> key, const Order& order,
                               std::span<const std::int64_t> values) {
  const auto [found, is_new] = first_of_.try_emplace(hash_of(key), none);
  int looked_at = 0;
  for (std::uint32_t at = found->second; at != none && looked_at < most_looked_at; at = states_[at].next) {
    const State& state = states_[at];
    if (state.first + key.size() + values.size() > numbers_.size()) continue;
    const auto their_key = std::span(numbers_).subspan(state.first, key.size());
    // A key contains its number of words: keys of different lengths differ before their end.
    if (!std::ranges::equal(their_key, key, {},
                            [](std::int64_t word) { return static_cast<std::uint64_t>(word); }))
      continue;
    ++looked_at;
    const auto theirs = std::span(numbers_).subspan(state.first + key.size(), values.size());
    if (state.order <= order && std::ranges::equal(theirs, values, std::ranges::less_equal{})) return true;
  }
  if (numbers_.size() + key.size() + values.size() > most_numbers_) return false;
  states_.push_back({static_cast<std::uint32_t>(numbers_.size()), found->second, order});
  found->second = static_cast<std::uint32_t>(states_.size() - 1);
  for (std::uint64_t word : key) numbers_.push_back(static_cast<std::int64_t>(word));
  numbers_.insert(numbers_.end(), values.begin(), values.end());
  return false;
}

}  // namespace takt::schedulers
