#include "schedulers/clustering/ez.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "schedulers/clustering/merging.hpp"
#include "schedulers/delay/ready_queue.hpp"

namespace takt::schedulers {

namespace {

/// The clusters while edges are zeroed. Tasks are numbered by their rank in the order in which all clusters
/// execute them.
class EdgeZeroing {
 public:
  explicit EdgeZeroing(const DelayModel& model) : order_(list_order(model)), rank_of_(order_.size()) {
    const TaskGraph& graph = model.graph();
    for (std::uint32_t rank = 0; rank < order_.size(); ++rank) rank_of_[order_[rank].index()] = rank;
    const std::vector<Time> below = static_levels(model);
    for (std::uint32_t rank = 0; rank < order_.size(); ++rank) {
      const TaskId task = order_[rank];
      duration_.push_back(model.mean_duration(task));
      level_.push_back(below[task.index()]);
      for (EdgeId edge : graph.in_edges(task))
        parents_.push_back({rank_of_[graph.edge(edge).from.index()], model.mean_delay(edge)});
      parent_offsets_.push_back(static_cast<std::uint32_t>(parents_.size()));
      cluster_.push_back(rank);
      members_.push_back({rank});
    }
    previous_.assign(order_.size(), none);
    end_.assign(order_.size(), Time{0});
    trial_ = end_;
    length_ = Time::max();
    evaluate(0, none, none);
    commit(0);
  }

  /// Merges the clusters of two tasks unless that makes the schedule longer.
  void try_zeroing(const Edge& edge) {
    const std::uint32_t a = cluster_[rank_of_[edge.from.index()]], b = cluster_[rank_of_[edge.to.index()]];
    if (a == b) return;
    const std::uint32_t first = std::min(members_[a].front(), members_[b].front());
    if (evaluate(first, a, b)) {
      merge(a, b);
      commit(first);
    } else {
      std::copy(end_.begin() + first, end_.end(), trial_.begin() + first);
    }
  }

  /// Returns the trace step of the edge's receiver after the trial.
  [[nodiscard]] Step step(const Edge& edge, Time delay, std::string_view sender) const {
    const std::uint32_t rank = rank_of_[edge.to.index()];
    const bool is_zeroed = cluster_[rank_of_[edge.from.index()]] == cluster_[rank];
    return {edge.to, ProcessorId(cluster_[rank]), end_[rank] - duration_[rank], end_[rank],
            fmt::format("edge of {} from '{}' {}: length {}", delay.count(), sender,
                        is_zeroed ? "zeroed" : "stays", length_.count())};
  }

  /// Writes the order in which all clusters execute the tasks to the trace.
  void trace_order(Trace& trace) const {
    for (std::uint32_t rank = 0; rank < order_.size(); ++rank)
      trace.push_back({order_[rank], ProcessorId(cluster_[rank]), end_[rank] - duration_[rank], end_[rank],
                       fmt::format("number {} by falling b-level", rank + 1)});
  }

  [[nodiscard]] Timetable timetable() const {
    Timetable result(order_.size());
    for (std::uint32_t rank = 0; rank < order_.size(); ++rank) {
      const std::size_t task = order_[rank].index();
      result.processor[task] = ProcessorId(cluster_[rank]);
      result.start[task] = end_[rank] - duration_[rank];
      result.end[task] = end_[rank];
    }
    return result;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct Parent {
    std::uint32_t rank;
    Time delay;
  };

  static std::vector<TaskId> list_order(const DelayModel& model) {
    ReadyQueue ready(model.graph(), by_falling(model.graph(), b_levels(model)));
    std::vector<TaskId> order;
    while (!ready.empty()) {
      order.push_back(ready.pop());
      ready.place(order.back());
    }
    return order;
  }

  /// Computes the ends from rank `first` on with clusters a and b merged, in `trial_`. Returns false as soon
  /// as the schedule must become longer.
  bool evaluate(std::uint32_t first, std::uint32_t a, std::uint32_t b) {
    Time merged_ready{0};
    for (std::uint32_t rank = first; rank < order_.size(); ++rank) {
      const std::uint32_t cluster = cluster_[rank];
      const bool merged = cluster == a || cluster == b;
      auto same = [&](std::uint32_t other) {
        const std::uint32_t its = cluster_[other];
        return its == cluster || (merged && (its == a || its == b));
      };
      Time start = merged ? merged_ready : previous_[rank] == none ? Time{0} : trial_[previous_[rank]];
      for (std::uint32_t i = parent_offsets_[rank]; i < parent_offsets_[rank + 1]; ++i) {
        const auto& [parent, delay] = parents_[i];
        start = std::max(start, trial_[parent] + (same(parent) ? Time{0} : delay));
      }
      if (start > length_ - level_[rank]) return false;
      trial_[rank] = start + duration_[rank];
      if (merged) merged_ready = trial_[rank];
    }
    return true;
  }

  void commit(std::uint32_t first) {
    std::copy(trial_.begin() + first, trial_.end(), end_.begin() + first);
    length_ = Time{0};
    for (Time end : end_) length_ = std::max(length_, end);
  }

  void merge(std::uint32_t a, std::uint32_t b) {
    std::vector<std::uint32_t> both(members_[a].size() + members_[b].size());
    std::merge(members_[a].begin(), members_[a].end(), members_[b].begin(), members_[b].end(), both.begin());
    for (std::size_t i = 0; i < both.size(); ++i) {
      cluster_[both[i]] = a;
      previous_[both[i]] = i == 0 ? none : both[i - 1];
    }
    members_[a] = std::move(both);
    members_[b] = {};
  }

  std::vector<TaskId> order_;
  std::vector<std::uint32_t> rank_of_;
  /// By rank: duration, static level, parents, cluster, and the previous task in its cluster.
  std::vector<Time> duration_, level_;
  std::vector<Parent> parents_;
  std::vector<std::uint32_t> parent_offsets_{0};
  std::vector<std::uint32_t> cluster_, previous_;
  /// Per cluster: its tasks in order.
  std::vector<std::vector<std::uint32_t>> members_;
  /// By rank: decided ends, and ends in the current trial.
  std::vector<Time> end_, trial_;
  Time length_;
};

}  // namespace

Clustering ez(const DelayModel& model, const Options& options) {
  const TaskGraph& graph = model.graph();
  std::vector<EdgeId> edges;
  for (EdgeId edge : graph.edges()) edges.push_back(edge);
  auto key = [&](EdgeId id) {
    const Edge edge = graph.edge(id);
    return std::tuple(-model.mean_delay(id), edge.from, edge.to);
  };
  std::stable_sort(edges.begin(), edges.end(), [&](EdgeId a, EdgeId b) { return key(a) < key(b); });

  EdgeZeroing zeroing(model);
  for (EdgeId id : edges) {
    const Edge edge = graph.edge(id);
    zeroing.try_zeroing(edge);
    if (options.trace != nullptr)
      options.trace->push_back(zeroing.step(edge, model.mean_delay(id), graph.task(edge.from).name));
  }
  if (options.trace != nullptr) zeroing.trace_order(*options.trace);
  return numbered(zeroing.timetable());
}

Schedule ez(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  const DelayModel model(graph, machine);
  return timed("ez", graph, machine, on_processors(model, ez(model, options), options));
}

}  // namespace takt::schedulers
