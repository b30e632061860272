#include "schedulers/clustering/cluster_order.hpp"

#include <algorithm>
#include <cstring>

namespace takt::schedulers {

ClusterOrder::ClusterOrder(const TaskGraph& graph)
    : graph_(&graph), order_(graph.topological_order().begin(), graph.topological_order().end()) {
  const std::size_t n = graph.task_count();
  rank_.resize(n);
  for (std::size_t rank = 0; rank < n; ++rank) rank_[order_[rank].index()] = static_cast<std::uint32_t>(rank);
  before_.assign(n, none);
  after_.assign(n, none);
  met_.assign(n, 0);
  needed_.is_marked.assign(n, 0);
  needing_.is_marked.assign(n, 0);
}

template <ClusterOrder::Direction direction, class Visit>
void ClusterOrder::for_each_next(TaskId task, const Visit& visit) const {
  constexpr bool is_along = direction == Direction::along;
  for (EdgeId edge : is_along ? graph_->out_edges(task) : graph_->in_edges(task))
    visit(is_along ? graph_->edge(edge).to : graph_->edge(edge).from);
  if (const auto neighbour = is_along ? after(task) : before(task)) visit(*neighbour);
}

void ClusterOrder::put(TaskId task, std::optional<TaskId> before, std::optional<TaskId> after) {
  const auto number = [](TaskId each) { return static_cast<std::uint32_t>(each.index()); };
  if (before) {
    order_before(*before, task);
    after_[before->index()] = number(task);
    before_[task.index()] = number(*before);
  }
  if (after) {
    before_[after->index()] = none;
    order_before(task, *after);
    before_[after->index()] = number(task);
    after_[task.index()] = number(*after);
  }
}

template <ClusterOrder::Direction direction>
void ClusterOrder::collect(TaskId task, std::size_t first, std::size_t last, std::vector<TaskId>& found) {
  ++visit_;
  found.clear();
  const auto meet = [&](TaskId other) {
    if (rank(other) < first || rank(other) > last || met_[other.index()] == visit_) return;
    met_[other.index()] = visit_;
    found.push_back(other);
  };
  meet(task);
  for (std::size_t i = 0; i < found.size(); ++i) for_each_next<direction>(found[i], meet);
  std::ranges::sort(found, {}, [this](TaskId each) { return rank(each); });
}

void ClusterOrder::order_before(TaskId a, TaskId b) {
  const std::size_t first = rank(b), last = rank(a);
  if (last < first) return;
  collect<Direction::against>(a, first, last, ahead_);
  collect<Direction::along>(b, first, last, later_);
  ranks_.clear();
  for (TaskId task : ahead_) ranks_.push_back(rank_[task.index()]);
  for (TaskId task : later_) ranks_.push_back(rank_[task.index()]);
  std::ranges::sort(ranks_);
  ahead_.insert(ahead_.end(), later_.begin(), later_.end());
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    order_[ranks_[i]] = ahead_[i];
    rank_[ahead_[i].index()] = ranks_[i];
  }
}

template <ClusterOrder::Direction direction>
void ClusterOrder::mark_next(Look& look, std::size_t rank) {
  look.reached = rank;
  for_each_next<direction>(at(rank), [&](TaskId other) {
    const std::uint32_t its = rank_[other.index()];
    if (look.is_marked[its] != 0) return;
    look.is_marked[its] = 1;
    look.marked.push_back(its);
  });
}

template <ClusterOrder::Direction direction>
void ClusterOrder::begin(Look& look) {
  for (std::uint32_t rank : look.marked) look.is_marked[rank] = 0;
  look.marked.clear();
  mark_next<direction>(look, rank(chosen_));
}

void ClusterOrder::look_from(TaskId task) {
  chosen_ = task;
  begin<Direction::against>(needed_);
  begin<Direction::along>(needing_);
}

bool ClusterOrder::needs(TaskId other) {
  const std::size_t wanted = rank(other);
  if (wanted >= rank(chosen_)) return false;
  const unsigned char* const marks = needed_.is_marked.data();
  while (needed_.reached > wanted + 1) {
    const void* const next = memrchr(marks + wanted + 1, 1, needed_.reached - (wanted + 1));
    if (next == nullptr) {
      needed_.reached = wanted + 1;
      break;
    }
    mark_next<Direction::against>(needed_,
                                  static_cast<std::size_t>(static_cast<const unsigned char*>(next) - marks));
  }
  return marks[wanted] != 0;
}

bool ClusterOrder::is_needed_by(TaskId other) {
  const std::size_t wanted = rank(other);
  if (wanted <= rank(chosen_)) return false;
  const unsigned char* const marks = needing_.is_marked.data();
  while (needing_.reached + 1 < wanted) {
    const std::size_t first = needing_.reached + 1;
    const void* const next = std::memchr(marks + first, 1, wanted - first);
    if (next == nullptr) {
      needing_.reached = wanted - 1;
      break;
    }
    mark_next<Direction::along>(needing_,
                                static_cast<std::size_t>(static_cast<const unsigned char*>(next) - marks));
  }
  return marks[wanted] != 0;
}

}  // namespace takt::schedulers
