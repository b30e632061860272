#pragma once
/// Circulations of maximum value for arcs whose value falls with their flow, and their potentials.
///
/// An arc is a sequence of pieces: the first units of flow have the value `length` each, up to the first
/// piece's capacity, the next ones the smaller length of the second piece, and so on. This is the dual of the
/// time-cost trade-off problem: potentials are times, an arc from a task's start to its end has the task's
/// possible durations as lengths, and its flow is the cost of reducing the duration by a second (Fulkerson
/// 1961; Kelley 1961; Phillips and Dessouky, "Solving the project time/cost tradeoff problem using the
/// minimal cut concept", Management Science 24 (4), 1977).
///
/// Solved by the primal network simplex on strongly feasible trees (Cunningham 1976; the rules as in Kiraly
/// and Kovacs, "Efficient implementations of minimum-cost flow algorithms", 2012). Only two pieces of each
/// sequence can violate optimality, the next one to fill and the last filled one, so an arc is priced in O(1)
/// for any number of pieces. All numbers are integers: no tolerance, and no tree occurs twice.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace takt::schedulers {

class ConvexCirculation {
 public:
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

  struct Piece {
    /// Capacity above 0, or unlimited.
    std::int64_t capacity = 0;
    std::int64_t length = 0;
  };

  explicit ConvexCirculation(std::size_t nodes);

  /// Adds an arc with pieces in descending order of length, at least one; only the last one may be unlimited.
  /// Returns the arc's number.
  std::size_t add_arc(std::uint32_t from, std::uint32_t to, std::span<const Piece> pieces);

  /// Changes the length of an arc's last piece; the next optimize() starts from the last result.
  void set_last_length(std::size_t arc, std::int64_t length);

  /// Finds a circulation of maximum value. Throws std::logic_error if a cycle of unlimited pieces has a
  /// length above 0.
  void optimize();

  [[nodiscard]] std::int64_t flow(std::size_t arc) const;
  /// For each arc, potential(to) - potential(from) is between the length of the next piece to fill and that
  /// of the last filled one.
  [[nodiscard]] std::int64_t potential(std::uint32_t node) const { return potential_[node]; }
  /// Number of pivots so far.
  [[nodiscard]] std::uint64_t pivots() const { return pivots_; }

 private:
  struct Arc {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    /// Its first piece, and the number of full ones.
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    std::uint32_t full = 0;
    bool in_tree = false;
    /// Flow in the next piece; 0 for an arc outside the tree.
    std::int64_t flow = 0;
  };
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct Entering {
    std::uint32_t arc = none;
    bool up = true;
    std::int64_t gain = 0;
  };

  [[nodiscard]] Entering price(std::uint32_t arc) const;
  [[nodiscard]] Entering find_entering();
  void pivot(const Entering& entering);
  void recompute_potentials();

  /// Returns the residual capacity of the tree arc of a node, towards its parent or away from it.
  [[nodiscard]] std::int64_t residual(std::uint32_t node, bool to_parent) const;
  void push(std::uint32_t node, bool to_parent, std::int64_t amount);
  [[nodiscard]] std::uint32_t common_ancestor(std::uint32_t a, std::uint32_t b) const;
  void detach(std::uint32_t node);
  void attach(std::uint32_t node, std::uint32_t parent, std::uint32_t arc);
  void shift_subtree(std::uint32_t top, std::int64_t by);

  std::vector<Piece> pieces_;
  /// The real arcs, then one from each node to the root, which connects the tree and never has any flow.
  std::vector<Arc> arcs_;
  std::size_t real_arcs_ = 0;
  bool is_built_ = false;

  std::size_t nodes_;
  std::vector<std::int64_t> potential_;
  std::vector<std::uint32_t> parent_, parent_arc_, depth_, first_child_, next_sibling_, previous_sibling_;
  std::vector<std::uint32_t> stack_;
  std::uint32_t next_priced_ = 0;
  std::uint64_t pivots_ = 0;
};

}  // namespace takt::schedulers
