#include "schedulers/delay/timeline.hpp"

#include <algorithm>

namespace takt::schedulers {

namespace {

/// Returns a different priority for each number.
std::uint32_t priority(std::uint32_t number) {
  number ^= number >> 16;
  number *= 0x7feb352dU;
  number ^= number >> 15;
  number *= 0x846ca68bU;
  return number ^ (number >> 16);
}

}  // namespace

Time Timeline::earliest(Time from, Time length) const {
  if (from >= endless_) return from;
  return earliest_below(root_, from, length).value_or(endless_);
}

std::optional<Time> Timeline::earliest_below(Index top, Time from, Time length) const {
  if (top == none || nodes_[top].longest < length) return std::nullopt;
  const Node& node = nodes_[top];
  // Only one long enough gap can fail, the one around `from`: one path down and up.
  if (node.gap.end >= from) {
    if (const auto start = earliest_below(node.left, from, length)) return start;
    const Time start = std::max(from, node.gap.start);
    if (node.gap.end - start >= length) return start;
  }
  return earliest_below(node.right, from, length);
}

void Timeline::reserve(Time start, Time length) {
  if (start >= endless_) {
    add({endless_, start});
    endless_ = start + length;
    return;
  }
  Gap& before = gap_at(start).gap;
  const Gap after{start + length, before.end};
  before.end = start;
  // The path down to the place right after `before` passes it, so all its ancestors include both.
  add(after);
}

Timeline::Node& Timeline::gap_at(Time time) {
  Index found = none;
  for (Index i = root_; i != none;) {
    const bool starts_later = nodes_[i].gap.start > time;
    if (!starts_later) found = i;
    i = starts_later ? nodes_[i].left : nodes_[i].right;
  }
  return nodes_[found];
}

void Timeline::add(Gap gap) {
  const auto added = static_cast<Index>(nodes_.size());
  nodes_.push_back({gap, gap.end - gap.start});
  root_ = insert(root_, added);
}

Timeline::Index Timeline::insert(Index top, Index added) {
  if (top == none) return added;
  Node& node = nodes_[top];
  const bool to_the_right = node.gap < nodes_[added].gap;
  Index& child = to_the_right ? node.right : node.left;
  child = insert(child, added);
  if (priority(child) > priority(top)) {
    const Index lifted = child;
    Index& inner = to_the_right ? nodes_[lifted].left : nodes_[lifted].right;
    child = inner;
    inner = top;
    refresh(top);
    top = lifted;
  }
  refresh(top);
  return top;
}

void Timeline::refresh(Index index) {
  Node& node = nodes_[index];
  node.longest = node.gap.end - node.gap.start;
  for (Index child : {node.left, node.right})
    if (child != none) node.longest = std::max(node.longest, nodes_[child].longest);
}

}  // namespace takt::schedulers
