#include "schedulers/search/merged_groups.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>
#include <vector>

namespace takt::schedulers {

namespace {

class Merging {
 public:
  explicit Merging(const TaskGraph& graph)
      : count_(graph.task_count()), into_(count_), to_(count_), from_(count_), visited_(count_, 0) {
    std::iota(into_.begin(), into_.end(), std::size_t{0});
    for (TaskId task : graph.tasks())
      work_.push_back(std::max(1.0, static_cast<double>(graph.task(task).work.count())));
    for (EdgeId id : graph.edges()) {
      const Edge edge = graph.edge(id);
      join(edge.from.index(), edge.to.index(), 1.0 + static_cast<double>(edge.size.count));
    }
    for (std::size_t group = 0; group < count_; ++group) offer(group);
  }

  /// Merges until there are at most this many groups; returns whether that succeeded.
  bool run(std::size_t count) {
    while (count_ > count && !candidates_.empty()) {
      const auto [score, from, to] = candidates_.top();
      candidates_.pop();
      const auto edge = to_[from].find(to);
      // Skips outdated candidates; changed pairs have been offered again.
      if (into_[from] != from || into_[to] != to || edge == to_[from].end() ||
          score != this->score(from, to, edge->second))
        continue;
      if (is_reached_otherwise(from, to)) continue;
      merge(from, to);
    }
    return count_ <= count;
  }

  /// Per task, numbered from 0.
  [[nodiscard]] std::vector<std::uint32_t> groups() {
    std::map<std::size_t, std::uint32_t> numbers;
    std::vector<std::uint32_t> result;
    for (std::size_t task = 0; task < into_.size(); ++task) {
      std::size_t group = task;
      while (into_[group] != group) group = into_[group] = into_[into_[group]];
      result.push_back(numbers.try_emplace(group, static_cast<std::uint32_t>(numbers.size())).first->second);
    }
    return result;
  }

 private:
  /// The largest score first, then the lowest groups.
  struct Candidate {
    double score;
    std::size_t from, to;
    bool operator<(const Candidate& other) const {
      return std::tuple(score, other.from, other.to) < std::tuple(other.score, from, to);
    }
  };

  [[nodiscard]] double score(std::size_t from, std::size_t to, double size) const {
    return size / (work_[from] * work_[to]);
  }
  void join(std::size_t from, std::size_t to, double size) {
    to_[from][to] += size;
    from_[to][from] += size;
  }
  void offer(std::size_t group) {
    for (const auto& [other, size] : to_[group]) candidates_.push({score(group, other, size), group, other});
    for (const auto& [other, size] : from_[group])
      candidates_.push({score(other, group, size), other, group});
  }

  /// Whether there is a path from one to the other that is longer than an edge.
  bool is_reached_otherwise(std::size_t from, std::size_t to) {
    ++visit_;
    std::vector<std::size_t> open;
    const auto enter = [&](std::size_t group) {
      if (visited_[group] == visit_) return;
      visited_[group] = visit_;
      open.push_back(group);
    };
    for (const auto& [next, size] : to_[from])
      if (next != to) enter(next);
    while (!open.empty()) {
      const std::size_t group = open.back();
      open.pop_back();
      if (group == to) return true;
      for (const auto& [next, size] : to_[group]) enter(next);
    }
    return false;
  }

  void merge(std::size_t a, std::size_t b) {
    into_[b] = a;
    work_[a] += work_[b];
    --count_;
    to_[a].erase(b);
    from_[b].erase(a);
    for (const auto& [other, size] : to_[b]) {
      from_[other].erase(b);
      join(a, other, size);
    }
    for (const auto& [other, size] : from_[b]) {
      to_[other].erase(b);
      join(other, a, size);
    }
    to_[b].clear();
    from_[b].clear();
    offer(a);
  }

  std::size_t count_;
  /// Per task: the group that it was merged into, itself while it still is one.
  std::vector<std::size_t> into_;
  std::vector<double> work_;
  /// Per group: the amount of data sent to each other group, and received.
  std::vector<std::map<std::size_t, double>> to_, from_;
  std::priority_queue<Candidate> candidates_;
  std::vector<std::size_t> visited_;
  std::size_t visit_ = 0;
};

}  // namespace

std::vector<Groups> merged_groups(const TaskGraph& graph, std::span<const std::size_t> counts) {
  std::vector<Groups> result;
  Merging merging(graph);
  for (std::size_t count : counts) {
    if (!merging.run(count)) break;
    result.push_back(groups_of_numbers(graph, merging.groups()));
  }
  return result;
}

}  // namespace takt::schedulers
