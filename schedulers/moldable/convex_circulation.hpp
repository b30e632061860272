#pragma once
/// Circulations of the greatest value where an arc's value falls with its flow, and their potentials.
///
/// An arc is a row of pieces: the first units of flow bring `length` each, up to the first piece's capacity,
/// the next ones the length of the second piece, which is smaller, and so on. This is the dual of the
/// time-cost trade-off problem: potentials are times, an arc from a task's start to its end has the task's
/// possible durations as lengths, and the flow that it takes is what a second less would cost (Fulkerson
/// 1961; Kelley 1961; Phillips and Dessouky, "Solving the project time/cost tradeoff problem using the
/// minimal cut concept", Management Science 24 (4), 1977).
///
/// Solved by the primal network simplex on strongly feasible trees (Cunningham 1976; the rules as in Kiraly
/// and Kovacs, "Efficient implementations of minimum-cost flow algorithms", 2012). Of each row only two
/// pieces can be out of order, that which is filled next and that which was filled last, so a row is priced
/// in O(1) however many pieces it has. All numbers are whole: no tolerance, and the trees are never repeated.

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

  /// Pieces in descending order of length, at least one; only the last one may be unlimited. Returns the
  /// arc's number.
  std::size_t add_arc(std::uint32_t from, std::uint32_t to, std::span<const Piece> pieces);

  /// Another length of an arc's last piece; the next optimize() begins with the last one's result.
  void set_last_length(std::size_t arc, std::int64_t length);

  /// Finds a circulation of the greatest value. No circle of unlimited pieces may have a length above 0:
  /// throws std::logic_error.
  void optimize();

  [[nodiscard]] std::int64_t flow(std::size_t arc) const;
  /// For each arc: potential(to) - potential(from) is between the length of the piece that is filled next and
  /// that of the one filled last.
  [[nodiscard]] std::int64_t potential(std::uint32_t node) const { return potential_[node]; }
  /// Pivots so far.
  [[nodiscard]] std::uint64_t pivots() const { return pivots_; }

 private:
  struct Arc {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    /// Its pieces, and how many of them are full.
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    std::uint32_t full = 0;
    bool in_tree = false;
    /// In the piece that comes next; 0 where it is not in the tree.
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

  /// How much more flow fits through the tree arc of a node, towards its parent or away from it.
  [[nodiscard]] std::int64_t residual(std::uint32_t node, bool to_parent) const;
  void push(std::uint32_t node, bool to_parent, std::int64_t amount);
  [[nodiscard]] std::uint32_t common_ancestor(std::uint32_t a, std::uint32_t b) const;
  void detach(std::uint32_t node);
  void attach(std::uint32_t node, std::uint32_t parent, std::uint32_t arc);
  void shift_subtree(std::uint32_t top, std::int64_t by);

  std::vector<Piece> pieces_;
  /// The real arcs, then one from each node to the root that holds the tree together and never has any flow.
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
