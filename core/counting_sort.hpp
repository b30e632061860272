#pragma once
/// Counting sort for small integer keys.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace takt {

/// Returns the values in ascending order of `key(value)`, which is below `keys`. Stable. O(n + keys) time,
/// and memory of n values; a comparison sort takes O(n log n) and half of that.
template <class Value, class Key>
[[nodiscard]] std::vector<Value> counting_sorted(std::vector<Value> values, std::size_t keys, Key key) {
  std::vector<std::uint32_t> next(keys + 1, 0);
  for (const Value& value : values) ++next[key(value) + 1];
  for (std::size_t k = 0; k < keys; ++k) next[k + 1] += next[k];
  std::vector<Value> sorted(values.size());
  for (Value& value : values) sorted[next[key(value)]++] = std::move(value);
  return sorted;
}

}  // namespace takt
