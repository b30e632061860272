#pragma once
/// Counters of sources and sinks.

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace takt::sensors {

/// A count as it is reported.
struct Counter {
  std::string name;
  std::string unit;
  std::uint64_t value = 0;
};

/// Returns the causes of refusal for messages: `500 by size, 3 by station`. Empty without refusals.
[[nodiscard]] std::string refusals(const std::vector<Counter>& counters);

/// A count that one thread writes and any thread reads: a plain load and store, no locked instruction.
class Tally {
 public:
  /// Forces inlining: in long files compilers would call it, several times per frame.
  [[gnu::always_inline]] void add(std::uint64_t count = 1) { set(value() + count); }
  /// Corrects a premature count; the result is never below zero.
  void subtract(std::uint64_t count = 1) { set(value() - count); }
  void raise_to(std::uint64_t value_seen) {
    if (value_seen > value()) set(value_seen);
  }
  void set(std::uint64_t count) { value_.store(count, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

}  // namespace takt::sensors
