#include "schedulers/exact/disjunctive_search.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace takt::schedulers {

namespace {

using Ticks = Time::rep;
/// Paths that may be looked at for one unit of the budget, which is a fraction of a microsecond.
constexpr std::size_t steps_per_budget = 16;
/// The same of paths that change before anything is decided: most of them are not there, which is quick.
constexpr std::size_t steps_per_change = 256;
constexpr Ticks unconnected = std::numeric_limits<Ticks>::min() / 4;

/// The longest path from each start to each other one.
class LongestPaths {
 public:
  explicit LongestPaths(std::size_t count) : count_(count), paths_(count * count, unconnected) {
    for (std::size_t i = 0; i < count; ++i) paths_[i * count + i] = 0;
  }

  [[nodiscard]] Ticks operator()(std::size_t from, std::size_t to) const {
    return paths_[from * count_ + to];
  }

  /// Demands that `to` starts at least `distance` after `from`; false when that closes a positive circle.
  [[nodiscard]] bool require(std::size_t from, std::size_t to, Ticks distance) {
    if ((*this)(from, to) >= distance) return true;
    ++changes_;
    if ((*this)(to, from) + distance > 0) return false;
    for (std::size_t x = 0; x < count_; ++x) {
      const Ticks before = (*this)(x, from);
      if (before == unconnected) continue;
      for (std::size_t y = 0; y < count_; ++y)
        if (const Ticks after = (*this)(to, y); after != unconnected)
          paths_[x * count_ + y] = std::max(paths_[x * count_ + y], before + distance + after);
    }
    return true;
  }

  /// How often paths have changed, each of which is O(n^2).
  [[nodiscard]] std::size_t changes() const { return changes_; }

  /// The least starts from 0 on.
  [[nodiscard]] std::vector<Ticks> starts() const {
    std::vector<Ticks> result(count_, 0);
    for (std::size_t x = 0; x < count_; ++x)
      for (std::size_t y = 0; y < count_; ++y) result[y] = std::max(result[y], (*this)(x, y));
    return result;
  }

 private:
  std::size_t count_;
  std::vector<Ticks> paths_;
  std::size_t changes_ = 0;
};

class OrderSearch {
 public:
  OrderSearch(std::span<const DisjunctiveOperation> operations, Ticks period, std::uint64_t& budget)
      : operations_(operations), period_(period), budget_(budget) {
    for (std::uint32_t i = 0; i < operations.size(); ++i)
      for (std::uint32_t j = i + 1; j < operations.size(); ++j)
        if (operations[i].processor == operations[j].processor) pairs_.push_back({i, j});
  }

  std::optional<std::vector<Ticks>> run(std::span<const Precedence> precedences) {
    LongestPaths paths(operations_.size());
    const bool is_possible = relate(paths, precedences);
    // Most questions end here, and there can be very many of them.
    const std::size_t looked_at = paths.changes() * operations_.size() * operations_.size();
    budget_ -= std::min<std::uint64_t>(budget_, 1 + looked_at / steps_per_change);
    if (!is_possible) return std::nullopt;
    for (const DisjunctiveOperation& operation : operations_)
      if (std::max(operation.length, operation.spacing) > period_) return std::nullopt;
    return decide(std::move(paths));
  }

 private:
  struct Pair {
    std::uint32_t first, second;
  };

  /// What holds whatever the orders are; false where that is impossible.
  [[nodiscard]] bool relate(LongestPaths& paths, std::span<const Precedence> precedences) const {
    for (const auto& [before, after, distance] : precedences)
      if (!paths.require(before, after, distance)) return false;
    // The next repetition's operations follow all of this one.
    for (const auto& [i, j] : pairs_)
      if (!paths.require(i, j, distance(i, j) - period_) || !paths.require(j, i, distance(j, i) - period_))
        return false;
    return true;
  }

  /// From the start of one operation of a processor to that of another one which comes later.
  [[nodiscard]] Ticks distance(std::uint32_t before, std::uint32_t after) const {
    const DisjunctiveOperation& a = operations_[before];
    const bool is_spaced = a.kind != OperationKind::compute && a.kind == operations_[after].kind;
    return is_spaced ? std::max(a.length, a.spacing) : a.length;
  }

  std::optional<std::vector<Ticks>> decide(LongestPaths paths) {
    if (budget_ == 0) return std::nullopt;
    budget_ -=
        std::min<std::uint64_t>(budget_, 1 + operations_.size() * operations_.size() / steps_per_budget);
    const Pair* open = nullptr;
    Ticks least_room = std::numeric_limits<Ticks>::max();
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      open = nullptr;
      least_room = std::numeric_limits<Ticks>::max();
      for (const Pair& pair : pairs_) {
        const auto [i, j] = pair;
        const Ticks forward = distance(i, j), backward = distance(j, i);
        if (paths(i, j) >= forward || paths(j, i) >= backward) continue;
        // The windows relate all operations of a processor, so the room is finite.
        const Ticks forward_room = -(paths(j, i) + forward), backward_room = -(paths(i, j) + backward);
        if (forward_room < 0 && backward_room < 0) return std::nullopt;
        if (forward_room < 0 || backward_room < 0) {
          const bool is_forward = backward_room < 0;
          if (!paths.require(is_forward ? i : j, is_forward ? j : i, is_forward ? forward : backward))
            return std::nullopt;
          has_changed = true;
        } else if (forward_room + backward_room < least_room) {
          least_room = forward_room + backward_room;
          open = &pair;
        }
      }
    }
    if (open == nullptr) return paths.starts();
    const auto [i, j] = *open;
    const Ticks forward = distance(i, j), backward = distance(j, i);
    const bool forward_first = paths(j, i) + forward <= paths(i, j) + backward;
    for (const bool is_forward : {forward_first, !forward_first}) {
      LongestPaths next = paths;
      if (next.require(is_forward ? i : j, is_forward ? j : i, is_forward ? forward : backward))
        if (auto starts = decide(std::move(next))) return starts;
    }
    return std::nullopt;
  }

  std::span<const DisjunctiveOperation> operations_;
  Ticks period_;
  std::uint64_t& budget_;
  std::vector<Pair> pairs_;
};

}  // namespace

std::optional<std::vector<Ticks>> find_starts(std::span<const DisjunctiveOperation> operations,
                                              std::span<const Precedence> precedences, Ticks period,
                                              std::uint64_t& budget) {
  return OrderSearch(operations, period, budget).run(precedences);
}

}  // namespace takt::schedulers
