#include "schedulers/moldable/convex_circulation.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace takt::schedulers {

ConvexCirculation::ConvexCirculation(std::size_t nodes) : nodes_(nodes) {}

std::size_t ConvexCirculation::add_arc(std::uint32_t from, std::uint32_t to, std::span<const Piece> pieces) {
  Arc arc;
  arc.from = from;
  arc.to = to;
  arc.first = static_cast<std::uint32_t>(pieces_.size());
  pieces_.insert(pieces_.end(), pieces.begin(), pieces.end());
  arc.end = static_cast<std::uint32_t>(pieces_.size());
  arcs_.push_back(arc);
  return arcs_.size() - 1;
}

void ConvexCirculation::set_last_length(std::size_t arc, std::int64_t length) {
  pieces_[arcs_[arc].end - 1].length = length;
  if (is_built_) recompute_potentials();
}

std::int64_t ConvexCirculation::flow(std::size_t number) const {
  const Arc& arc = arcs_[number];
  std::int64_t sum = arc.flow;
  for (std::uint32_t i = 0; i < arc.full; ++i) sum += pieces_[arc.first + i].capacity;
  return sum;
}

std::int64_t ConvexCirculation::residual(std::uint32_t node, bool to_parent) const {
  const Arc& arc = arcs_[parent_arc_[node]];
  const bool along = (arc.from == node) == to_parent;
  if (!along) return arc.flow;
  const std::int64_t capacity = pieces_[arc.first + arc.full].capacity;
  return capacity == unlimited ? unlimited : capacity - arc.flow;
}

void ConvexCirculation::push(std::uint32_t node, bool to_parent, std::int64_t amount) {
  Arc& arc = arcs_[parent_arc_[node]];
  arc.flow += (arc.from == node) == to_parent ? amount : -amount;
}

std::uint32_t ConvexCirculation::common_ancestor(std::uint32_t a, std::uint32_t b) const {
  while (a != b) {
    if (depth_[a] >= depth_[b])
      a = parent_[a];
    else
      b = parent_[b];
  }
  return a;
}

void ConvexCirculation::detach(std::uint32_t node) {
  const std::uint32_t next = next_sibling_[node], previous = previous_sibling_[node];
  if (next != none) previous_sibling_[next] = previous;
  if (previous != none)
    next_sibling_[previous] = next;
  else
    first_child_[parent_[node]] = next;
}

void ConvexCirculation::attach(std::uint32_t node, std::uint32_t parent, std::uint32_t arc) {
  parent_[node] = parent;
  parent_arc_[node] = arc;
  previous_sibling_[node] = none;
  next_sibling_[node] = first_child_[parent];
  if (first_child_[parent] != none) previous_sibling_[first_child_[parent]] = node;
  first_child_[parent] = node;
}

void ConvexCirculation::shift_subtree(std::uint32_t top, std::int64_t by) {
  stack_.assign(1, top);
  while (!stack_.empty()) {
    const std::uint32_t node = stack_.back();
    stack_.pop_back();
    potential_[node] += by;
    depth_[node] = depth_[parent_[node]] + 1;
    for (std::uint32_t child = first_child_[node]; child != none; child = next_sibling_[child])
      stack_.push_back(child);
  }
}

void ConvexCirculation::recompute_potentials() {
  const auto root = static_cast<std::uint32_t>(nodes_);
  stack_.assign(1, root);
  while (!stack_.empty()) {
    const std::uint32_t node = stack_.back();
    stack_.pop_back();
    if (node != root) {
      const Arc& arc = arcs_[parent_arc_[node]];
      const std::int64_t length = pieces_[arc.first + arc.full].length;
      potential_[node] = potential_[parent_[node]] + (arc.to == node ? length : -length);
    }
    for (std::uint32_t child = first_child_[node]; child != none; child = next_sibling_[child])
      stack_.push_back(child);
  }
}

ConvexCirculation::Entering ConvexCirculation::price(std::uint32_t number) const {
  const Arc& arc = arcs_[number];
  if (arc.in_tree) return {};
  const std::int64_t difference = potential_[arc.to] - potential_[arc.from];
  const std::uint32_t next = arc.first + arc.full;
  if (next < arc.end && pieces_[next].length > difference)
    return {number, true, pieces_[next].length - difference};
  if (arc.full > 0 && difference > pieces_[next - 1].length)
    return {number, false, difference - pieces_[next - 1].length};
  return {};
}

/// Returns the best arc of the first block with an eligible one.
ConvexCirculation::Entering ConvexCirculation::find_entering() {
  const auto count = static_cast<std::uint32_t>(real_arcs_);
  const auto block = std::max<std::uint32_t>(20, static_cast<std::uint32_t>(std::sqrt(count)));
  Entering best;
  for (std::uint32_t seen = 0, in_block = 0; seen < count; ++seen) {
    const Entering found = price(next_priced_);
    if (found.gain > best.gain) best = found;
    if (++next_priced_ == count) next_priced_ = 0;
    if (++in_block < block) continue;
    if (best.gain > 0) return best;
    in_block = 0;
  }
  return best;
}

void ConvexCirculation::pivot(const Entering& entering) {
  ++pivots_;
  Arc& arc = arcs_[entering.arc];
  const std::uint32_t tail = entering.up ? arc.from : arc.to, head = entering.up ? arc.to : arc.from;
  // Flow goes from the tail over the arc to the head, up to their common ancestor and down to the tail again.
  const std::uint32_t join = common_ancestor(tail, head);
  const std::uint32_t piece = arc.first + (entering.up ? arc.full : arc.full - 1);
  std::int64_t amount = pieces_[piece].capacity;
  std::uint32_t leaving = none;
  bool is_tail_side = false;
  // Of equally blocking arcs the last one on this cycle, as seen from the ancestor.
  for (std::uint32_t node = tail; node != join; node = parent_[node])
    if (const std::int64_t room = residual(node, false); room < amount) {
      amount = room;
      leaving = node;
      is_tail_side = true;
    }
  for (std::uint32_t node = head; node != join; node = parent_[node])
    if (const std::int64_t room = residual(node, true); room <= amount && room != unlimited) {
      amount = room;
      leaving = node;
      is_tail_side = false;
    }
  if (amount == unlimited) throw std::logic_error("a circle of unlimited flow has a length above 0");

  for (std::uint32_t node = tail; node != join; node = parent_[node]) push(node, false, amount);
  for (std::uint32_t node = head; node != join; node = parent_[node]) push(node, true, amount);
  if (leaving == none) {
    // The piece becomes full, or empty, before any tree arc blocks.
    arc.full += entering.up ? 1 : -1;
    return;
  }
  if (entering.up) {
    arc.flow = amount;
  } else {
    --arc.full;
    arc.flow = pieces_[piece].capacity - amount;
  }
  arc.in_tree = true;

  Arc& out = arcs_[parent_arc_[leaving]];
  if (out.flow > 0) ++out.full;
  out.flow = 0;
  out.in_tree = false;

  // The subtree below the leaving arc is re-attached to the entering one.
  std::uint32_t node = is_tail_side ? tail : head, parent = is_tail_side ? head : tail;
  std::uint32_t by = entering.arc;
  const std::uint32_t top = node;
  const std::int64_t by_tail = pieces_[piece].length;
  for (;;) {
    const std::uint32_t old_parent = parent_[node], old_arc = parent_arc_[node];
    detach(node);
    attach(node, parent, by);
    if (node == leaving) break;
    parent = node;
    by = old_arc;
    node = old_parent;
  }
  const std::int64_t target = potential_[parent_[top]] + (arc.to == top ? by_tail : -by_tail);
  shift_subtree(top, target - potential_[top]);
}

void ConvexCirculation::optimize() {
  if (!is_built_) {
    is_built_ = true;
    real_arcs_ = arcs_.size();
    const auto root = static_cast<std::uint32_t>(nodes_);
    potential_.assign(nodes_ + 1, 0);
    parent_.assign(nodes_ + 1, none);
    parent_arc_.assign(nodes_ + 1, none);
    depth_.assign(nodes_ + 1, 0);
    first_child_.assign(nodes_ + 1, none);
    next_sibling_.assign(nodes_ + 1, none);
    previous_sibling_.assign(nodes_ + 1, none);
    const Piece free{unlimited, 0};
    for (std::uint32_t node = 0; node < root; ++node) {
      const std::size_t arc = add_arc(node, root, {&free, 1});
      arcs_[arc].in_tree = true;
      attach(node, root, static_cast<std::uint32_t>(arc));
      depth_[node] = 1;
    }
  }
  for (Entering entering = find_entering(); entering.gain > 0; entering = find_entering()) pivot(entering);
}

}  // namespace takt::schedulers
