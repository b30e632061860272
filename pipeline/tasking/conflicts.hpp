#pragma once
/// Unordered accesses to the same memory: what a wrong description of dependencies leads to.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace takt::tasking {

/// Records steps, their order, and what they read and write; finds pairs of which neither comes before the
/// other. The findings depend on the order alone, not on when steps have run: one run with one worker finds
/// what any run could.
class ConflictFinder {
 public:
  using Step = std::uint32_t;
  /// Ascending; two accesses that hold one of the same locks are no conflict.
  using Locks = std::vector<const void*>;

  /// Two steps of different owners use the same bytes, and at least one writes.
  struct Conflict {
    std::int64_t first, second;
    bool first_writes, second_writes;
    std::uintptr_t begin;
    std::size_t bytes;
  };

  /// Adds a step of a unit.
  Step add(std::int64_t owner) {
    owners_.push_back(owner);
    after_.emplace_back();
    return static_cast<Step>(owners_.size() - 1);
  }
  /// `after` begins when `before` has ended.
  void order(Step before, Step after) { after_[before].push_back(after); }
  void note(Step step, const void* address, std::size_t bytes, bool writes, Locks locks = {});

  /// All conflicts, each pair of owners once for adjacent bytes: by the first owner, then the second, then
  /// the address. The order has no circle. O(n log n) for n accesses, and for each overlapping pair with a
  /// writer O(steps / 512) at most.
  [[nodiscard]] std::vector<Conflict> find() const;

 private:
  struct Use {
    std::uintptr_t begin, end;
    Step step;
    bool writes;
    Locks locks;
  };
  using Pair = std::pair<std::size_t, std::size_t>;

  [[nodiscard]] std::vector<Pair> overlapping() const;
  [[nodiscard]] std::vector<bool> are_ordered(const std::vector<Pair>& pairs) const;

  std::vector<std::int64_t> owners_;
  std::vector<std::vector<Step>> after_;
  std::vector<Use> uses_;
};

}  // namespace takt::tasking
