#include "schedulers/exact/disjunctive_search.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace takt::schedulers {

namespace {

using Ticks = Time::rep;
/// Examined paths per unit of the budget, less than a tenth of a microsecond.
constexpr std::size_t paths_per_budget = 400;
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

  /// Like `require`, for the pair alone; close() then completes paths over other starts.
  void set(std::size_t from, std::size_t to, Ticks distance) {
    Ticks& path = paths_[from * count_ + to];
    path = std::max(path, distance);
  }

  /// Computes all paths from the given ones (Floyd and Warshall); returns false on a positive cycle.
  [[nodiscard]] bool close() {
    for (std::size_t via = 0; via < count_; ++via)
      for (std::size_t x = 0; x < count_; ++x)
        if (const Ticks before = (*this)(x, via); before != unconnected) extend(x, before, via);
    for (std::size_t i = 0; i < count_; ++i)
      if ((*this)(i, i) > 0) return false;
    return true;
  }

  /// Requires `to` to start at least `distance` after `from`; returns false if that closes a positive cycle.
  [[nodiscard]] bool require(std::size_t from, std::size_t to, Ticks distance) {
    if ((*this)(from, to) >= distance) return true;
    if ((*this)(to, from) + distance > 0) return false;
    for (std::size_t x = 0; x < count_; ++x) {
      const Ticks before = (*this)(x, from);
      if (before != unconnected) extend(x, before + distance, to);
    }
    return true;
  }

  /// Returns the least starts, from 0 on.
  [[nodiscard]] std::vector<Ticks> starts() const {
    std::vector<Ticks> result(count_, 0);
    for (std::size_t x = 0; x < count_; ++x)
      for (std::size_t y = 0; y < count_; ++y) result[y] = std::max(result[y], (*this)(x, y));
    return result;
  }

 private:
  /// Extends the paths from `from` that continue from `via`, at this distance.
  void extend(std::size_t from, Ticks distance, std::size_t via) {
    for (std::size_t y = 0; y < count_; ++y)
      if (const Ticks after = (*this)(via, y); after != unconnected)
        paths_[from * count_ + y] = std::max(paths_[from * count_ + y], distance + after);
  }

  std::size_t count_;
  std::vector<Ticks> paths_;
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
    for (const DisjunctiveOperation& operation : operations_)
      if (std::max(operation.length, operation.spacing) > period_) return std::nullopt;
    LongestPaths paths(operations_.size());
    for (const auto& [before, after, distance] : precedences) paths.set(before, after, distance);
    // The operations of the next iteration follow all of this one.
    for (const auto& [i, j] : pairs_) {
      paths.set(i, j, distance(i, j) - period_);
      paths.set(j, i, distance(j, i) - period_);
    }
    spend(operations_.size());
    if (!paths.close()) return std::nullopt;
    return decide(std::move(paths));
  }

 private:
  struct Pair {
    std::uint32_t first, second;
  };

  /// Least distance between the starts of two operations of a processor, the first of which comes earlier.
  [[nodiscard]] Ticks distance(std::uint32_t before, std::uint32_t after) const {
    const DisjunctiveOperation& a = operations_[before];
    const bool is_spaced = a.kind != OperationKind::compute && a.kind == operations_[after].kind;
    return is_spaced ? std::max(a.length, a.spacing) : a.length;
  }

  /// Charges this many passes over all pairs of operations to the budget.
  void spend(std::size_t rounds) {
    const std::size_t looks = rounds * operations_.size() * operations_.size();
    budget_ -= std::min<std::uint64_t>(budget_, 1 + looks / paths_per_budget);
  }

  /// LongestPaths::require, charged to the budget.
  [[nodiscard]] bool require(LongestPaths& paths, std::uint32_t from, std::uint32_t to, Ticks distance) {
    if (paths(from, to) < distance) spend(1);
    return paths.require(from, to, distance);
  }

  std::optional<std::vector<Ticks>> decide(LongestPaths paths) {
    if (budget_ == 0) return std::nullopt;
    spend(1);
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
          if (!require(paths, is_forward ? i : j, is_forward ? j : i, is_forward ? forward : backward))
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
      if (require(next, is_forward ? i : j, is_forward ? j : i, is_forward ? forward : backward))
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
