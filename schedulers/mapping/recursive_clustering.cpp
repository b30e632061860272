#include "schedulers/mapping/recursive_clustering.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <tuple>

namespace takt::schedulers {

namespace {

/// Clusters of some tasks, numbered from 0 in the order of their first tasks.
struct Clusters {
  std::vector<std::uint32_t> cluster_of;
  std::vector<double> work;
};

/// Two clusters and the time of their exchanges.
struct Pull {
  std::uint32_t a;
  std::uint32_t b;
  double time;
};

class Halving {
 public:
  /// `limit` is the largest work of a cluster, as a share of that of the smaller half.
  Halving(const InteractionGraph& graph, double limit)
      : graph_(graph), limit_(limit), processor_of_(graph.task_count()), local_(graph.task_count(), none) {
    for (ProcessorId p : graph.processors()) {
      double work = 0;
      for (TaskId task : graph.tasks()) work += static_cast<double>(graph.model().duration(task, p).count());
      rate_.push_back(work > 0 ? 1 / work : 1);
    }
    for (EdgeId edge : graph.model().graph().edges())
      if (!heaviest_ || graph.mean_exchange(edge) > graph.mean_exchange(*heaviest_)) heaviest_ = edge;
  }

  std::vector<ProcessorId> run() && {
    std::vector<TaskId> tasks;
    for (TaskId task : graph_.tasks()) tasks.push_back(task);
    std::vector<ProcessorId> processors;
    for (ProcessorId p : graph_.processors()) processors.push_back(p);
    map(tasks, processors);
    return std::move(processor_of_);
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  void map(const std::vector<TaskId>& tasks, std::vector<ProcessorId> processors) {
    if (tasks.empty()) return;
    if (processors.size() == 1) {
      for (TaskId task : tasks) processor_of_[task.index()] = processors.front();
      return;
    }
    sort_by_nearness(processors);
    const auto middle = processors.begin() + static_cast<std::ptrdiff_t>(processors.size() / 2);
    const std::vector<ProcessorId> near(processors.begin(), middle), far(middle, processors.end());
    const double share = rate(near) / (rate(near) + rate(far));

    const std::vector<bool> is_near = side_of(tasks, share);
    std::array<std::vector<TaskId>, 2> parts;
    for (std::size_t i = 0; i < tasks.size(); ++i) parts[is_near[i] ? 0 : 1].push_back(tasks[i]);
    map(parts[0], near);
    map(parts[1], far);
  }

  /// Sorts by distance from a corner: the processor that is farthest from the first one.
  void sort_by_nearness(std::vector<ProcessorId>& processors) const {
    if (!heaviest_) return;
    auto distance = [&](ProcessorId from) {
      return [this, from](ProcessorId to) { return graph_.exchange(*heaviest_, from, to); };
    };
    const ProcessorId corner = *std::ranges::max_element(processors, {}, distance(processors.front()));
    std::ranges::stable_sort(processors, {}, distance(corner));
  }

  [[nodiscard]] double rate(const std::vector<ProcessorId>& processors) const {
    double sum = 0;
    for (ProcessorId p : processors) sum += rate_[p.index()];
    return sum;
  }

  /// Returns whether each task goes to the near half, which has this share of the speed.
  std::vector<bool> side_of(const std::vector<TaskId>& tasks, double share) {
    Clusters clusters;
    std::vector<Pull> pulls = single_tasks(tasks, clusters);
    const double all = std::accumulate(clusters.work.begin(), clusters.work.end(), 0.0);
    while (join(clusters, pulls, limit_ * std::min(share, 1 - share) * all)) {
    }
    const std::vector<bool> near = pack(clusters, pulls, share * all, (1 - share) * all);
    std::vector<bool> result;
    for (std::uint32_t cluster : clusters.cluster_of) result.push_back(near[cluster]);
    return result;
  }

  std::vector<Pull> single_tasks(const std::vector<TaskId>& tasks, Clusters& clusters) {
    for (std::uint32_t i = 0; i < tasks.size(); ++i) {
      local_[tasks[i].index()] = i;
      clusters.cluster_of.push_back(i);
      clusters.work.push_back(static_cast<double>(graph_.model().mean_duration(tasks[i]).count()));
    }
    std::vector<Pull> pulls;
    for (TaskId task : tasks)
      for (const auto& [other, edge, is_sent] : graph_.interactions(task))
        if (local_[other.index()] != none && task < other)
          pulls.push_back({local_[task.index()], local_[other.index()],
                           static_cast<double>(graph_.mean_exchange(edge).count())});
    for (TaskId task : tasks) local_[task.index()] = none;
    add_up(pulls);
    return pulls;
  }

  /// Merges pulls of equal pairs; the strongest first.
  static void add_up(std::vector<Pull>& pulls) {
    auto pair = [](const Pull& pull) { return std::pair(pull.a, pull.b); };
    std::ranges::sort(pulls, {}, pair);
    std::size_t count = 0;
    for (const Pull& pull : pulls)
      if (count > 0 && pair(pulls[count - 1]) == pair(pull)) {
        pulls[count - 1].time += pull.time;
      } else {
        pulls[count++] = pull;
      }
    pulls.resize(count);
    std::ranges::sort(pulls, {}, [](const Pull& pull) { return std::tuple(-pull.time, pull.a, pull.b); });
  }

  /// Joins pairs of clusters, each cluster at most once, then renumbers them. Returns false if no pair could
  /// be joined.
  static bool join(Clusters& clusters, std::vector<Pull>& pulls, double limit) {
    std::vector<std::uint32_t> partner(clusters.work.size(), none);
    bool joined = false;
    for (const Pull& pull : pulls) {
      if (partner[pull.a] != none || partner[pull.b] != none) continue;
      if (clusters.work[pull.a] + clusters.work[pull.b] > limit) continue;
      partner[pull.a] = pull.b;
      partner[pull.b] = pull.a;
      joined = true;
    }
    if (!joined) return false;

    std::vector<std::uint32_t> number(partner.size(), none);
    std::vector<double> work;
    for (std::uint32_t cluster = 0; cluster < partner.size(); ++cluster) {
      const bool follows = partner[cluster] != none && number[partner[cluster]] != none;
      number[cluster] = follows ? number[partner[cluster]] : static_cast<std::uint32_t>(work.size());
      if (!follows) work.push_back(0);
      work[number[cluster]] += clusters.work[cluster];
    }
    clusters.work = std::move(work);
    for (std::uint32_t& cluster : clusters.cluster_of) cluster = number[cluster];
    for (Pull& pull : pulls) std::tie(pull.a, pull.b) = std::minmax({number[pull.a], number[pull.b]});
    std::erase_if(pulls, [](const Pull& pull) { return pull.a == pull.b; });
    add_up(pulls);
    return true;
  }

  /// Returns whether each cluster goes to the near half, with this room in both halves.
  static std::vector<bool> pack(const Clusters& clusters, const std::vector<Pull>& pulls, double near_room,
                                double far_room) {
    const std::size_t count = clusters.work.size();
    std::vector<std::vector<std::pair<std::uint32_t, double>>> pulls_of(count);
    for (const Pull& pull : pulls) {
      pulls_of[pull.a].emplace_back(pull.b, pull.time);
      pulls_of[pull.b].emplace_back(pull.a, pull.time);
    }
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::greater<>(), [&](std::uint32_t c) { return clusters.work[c]; });
    std::vector<bool> near(count, false);
    std::vector<double> towards_near(count, 0.0);
    for (std::uint32_t cluster : order) {
      const double work = clusters.work[cluster];
      const bool fits_near = work <= near_room, fits_far = work <= far_room;
      const bool wants_near = towards_near[cluster] != 0 ? towards_near[cluster] > 0 : near_room >= far_room;
      near[cluster] = fits_near == fits_far ? (fits_near ? wants_near : near_room >= far_room) : fits_near;
      (near[cluster] ? near_room : far_room) -= work;
      for (const auto& [other, time] : pulls_of[cluster]) towards_near[other] += near[cluster] ? time : -time;
    }
    return near;
  }

  const InteractionGraph& graph_;
  double limit_;
  /// Per processor: its speed for all tasks together.
  std::vector<double> rate_;
  std::optional<EdgeId> heaviest_;
  std::vector<ProcessorId> processor_of_;
  /// Per task: its index among the tasks being halved.
  std::vector<std::uint32_t> local_;
};

/// Returns the processor with the least time for all tasks together.
ProcessorId fastest(const InteractionGraph& graph) {
  ProcessorId best;
  Time least = Time::max();
  for (ProcessorId p : graph.processors()) {
    Time sum{0};
    for (TaskId task : graph.tasks()) sum += graph.model().duration(task, p);
    if (sum < least) {
      least = sum;
      best = p;
    }
  }
  return best;
}

}  // namespace

std::vector<ProcessorId> recursive_clustering(const InteractionGraph& graph, const Options&) {
  Mapping best(graph, std::vector<ProcessorId>(graph.task_count(), fastest(graph)));
  improve(graph, best);
  for (double limit : {1.0, 0.5, 0.25, 0.125, 0.0625}) {
    Mapping mapping(graph, Halving(graph, limit).run());
    improve(graph, mapping);
    if (mapping.cost() < best.cost()) best = std::move(mapping);
  }
  return best.processor_of();
}

Schedule recursive_clustering(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  const InteractionGraph interactions(graph, machine);
  return schedule_of("recursive_clustering", interactions, machine,
                     recursive_clustering(interactions, options), options);
}

}  // namespace takt::schedulers
