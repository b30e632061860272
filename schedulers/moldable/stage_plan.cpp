#include "schedulers/moldable/stage_plan.hpp"

#include <algorithm>
#include <compare>

namespace takt::schedulers {

namespace {

/// Start of the next group; smaller is better.
struct ClusterPlace {
  std::size_t cluster = 0;
  std::size_t used = 0;
  auto operator<=>(const ClusterPlace&) const = default;
};

class StageSearch {
 public:
  StageSearch(const TaskGraph& graph, const Clusters& clusters, std::size_t most_copies)
      : graph_(graph), clusters_(clusters), most_copies_(most_copies), largest_(clusters.largest()) {
    const auto order = graph.topological_order();
    times_.assign(largest_ * (order.size() + 1), 0);
    states_.assign(order.size() + 1, 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Task& task = graph.task(order[i]);
      states_[i + 1] = states_[i] + (task.stateless ? 0 : 1);
      for (std::size_t q = 1; q <= largest_; ++q)
        sum(q, i + 1) = sum(q, i) + task.time_on(task.most_processors(q)) / clusters.slowest();
    }
  }

  std::vector<Stage> best() {
    const std::size_t n = graph_.task_count();
    // A single stage on one processor is always possible.
    double high = sum(1, n), low = 0;
    std::vector<Stage> found = stages(high).value();
    for (int i = 0; i < 40 && high > low * (1 + 1e-6); ++i) {
      const double middle = (low + high) / 2;
      if (auto better = stages(middle)) {
        found = std::move(*better);
        high = middle;
      } else {
        low = middle;
      }
    }
    return found;
  }

 private:
  [[nodiscard]] double& sum(std::size_t processors, std::size_t tasks) {
    return times_[(processors - 1) * (graph_.task_count() + 1) + tasks];
  }
  [[nodiscard]] double time(std::size_t first, std::size_t end, std::size_t processors) {
    return sum(processors, end) - sum(processors, first);
  }

  /// Returns the place after `copies` groups from a place on; nothing if there is no room.
  [[nodiscard]] std::optional<ClusterPlace> place_after(ClusterPlace place, std::size_t copies,
                                                        std::size_t processors,
                                                        std::vector<Stage::Copy>* where = nullptr) const {
    while (copies > 0) {
      if (place.cluster == clusters_.count()) return std::nullopt;
      const std::size_t fit = (clusters_.list[place.cluster].size() - place.used) / processors;
      const std::size_t here = std::min(fit, copies);
      if (where != nullptr)
        for (std::size_t i = 0; i < here; ++i) where->push_back({place.cluster, place.used + i * processors});
      place.used += here * processors;
      copies -= here;
      if (copies > 0) place = {place.cluster + 1, 0};
    }
    return place;
  }

  struct Step {
    std::optional<ClusterPlace> place;
    std::size_t first = 0, copies = 0, processors = 0;
  };

  /// Returns the stage of tasks first .. end - 1 from a place on.
  [[nodiscard]] Step stage(std::size_t first, std::size_t end, ClusterPlace from, double period) {
    Step best;
    const bool is_stateless = states_[end] == states_[first];
    for (std::size_t copies = 1; copies <= (is_stateless ? most_copies_ : 1); copies *= 2) {
      const double allowed = period * static_cast<double>(copies);
      if (time(first, end, largest_) > allowed) continue;
      std::size_t low = 1, high = largest_;
      while (low < high) {
        const std::size_t middle = (low + high) / 2;
        if (time(first, end, middle) <= allowed)
          high = middle;
        else
          low = middle + 1;
      }
      const std::optional<ClusterPlace> place = place_after(from, copies, low);
      if (place && (!best.place || *place < *best.place)) best = {place, first, copies, low};
      if (low == 1) break;
    }
    return best;
  }

  std::optional<std::vector<Stage>> stages(double period) {
    const std::size_t n = graph_.task_count();
    period *= 1 + 1e-12;
    std::vector<Step> steps(n + 1);
    steps[0].place = ClusterPlace{};
    for (std::size_t first = 0; first < n; ++first) {
      if (!steps[first].place) continue;
      for (std::size_t end = first + 1; end <= n; ++end) {
        const bool is_stateless = states_[end] == states_[first];
        const auto copies = static_cast<double>(is_stateless ? most_copies_ : 1);
        if (time(first, end, largest_) > period * copies) {
          if (!is_stateless) break;
          continue;
        }
        const Step found = stage(first, end, *steps[first].place, period);
        if (found.place && (!steps[end].place || *found.place < *steps[end].place)) steps[end] = found;
      }
    }
    if (!steps[n].place) return std::nullopt;
    std::vector<Stage> result;
    for (std::size_t end = n; end > 0; end = steps[end].first) {
      Stage stage{steps[end].first, end, steps[end].processors, {}};
      (void)place_after(*steps[stage.first].place, steps[end].copies, stage.processors, &stage.copies);
      result.push_back(std::move(stage));
    }
    std::ranges::reverse(result);
    return result;
  }

  const TaskGraph& graph_;
  const Clusters& clusters_;
  std::size_t most_copies_, largest_;
  /// Time of the first tasks of the order on a number of processors.
  std::vector<double> times_;
  /// Number of stateful tasks among the first ones.
  std::vector<std::size_t> states_;
};

}  // namespace

std::vector<Stage> best_stages(const TaskGraph& graph, const Clusters& clusters, std::size_t most_copies) {
  if (graph.task_count() == 0) return {};
  return StageSearch(graph, clusters, most_copies).best();
}

}  // namespace takt::schedulers
