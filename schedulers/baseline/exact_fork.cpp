#include "schedulers/baseline/exact_fork.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "schedulers/bounds/area_bound.hpp"

namespace takt::schedulers {

namespace {

/// A child of the root; in a join, a parent of it.
struct Leaf {
  TaskId task;
  Time work{0};
  /// Earliest start on a processor other than the root's.
  Time arrival{0};
};

struct Fork {
  TaskId root;
  /// In order of arrival.
  std::vector<Leaf> leaves;
  /// Whether the leaves precede the root.
  bool is_join = false;
};

/// Returns the fork or join that the graph is, or nothing.
std::optional<Fork> fork_of(const DelayModel& model) {
  const TaskGraph& graph = model.graph();
  if (!model.homogeneous() || graph.task_count() < 2) return std::nullopt;
  for (bool is_join : {false, true}) {
    auto before = [&](TaskId task) { return is_join ? graph.out_edges(task) : graph.in_edges(task); };
    auto after = [&](TaskId task) { return is_join ? graph.in_edges(task) : graph.out_edges(task); };
    const auto order = graph.topological_order();
    Fork fork{is_join ? order.back() : order.front(), {}, is_join};
    const Time root_end = model.mean_duration(fork.root);
    for (TaskId task : graph.tasks()) {
      if (task == fork.root) continue;
      if (before(task).size() != 1 || !after(task).empty()) break;
      fork.leaves.push_back({task, model.mean_duration(task), root_end + model.mean_delay(before(task)[0])});
    }
    if (fork.leaves.size() + 1 < graph.task_count()) continue;
    std::ranges::stable_sort(fork.leaves, {}, &Leaf::arrival);
    return fork;
  }
  return std::nullopt;
}

/// A partial schedule: some leaves on processors.
struct Partial {
  /// When the root's processor becomes free, then the other processors in ascending order.
  std::vector<Time> free;
  /// End of the last task.
  Time length{0};
  /// Place of the last leaf, and the index of the extended schedule in the previous level.
  std::uint32_t place = 0;
  std::uint32_t before = 0;
};

/// Drops dominated partial schedules: no better than another one in any value.
void keep_best(std::vector<Partial>& level) {
  std::ranges::sort(level, {}, [](const Partial& partial) { return std::tie(partial.free, partial.length); });
  std::vector<Partial> best;
  auto is_worse = [&](const Partial& partial) {
    return !best.empty() &&
           std::equal(partial.free.begin(), partial.free.end() - 1, best.back().free.begin()) &&
           best.back().length <= partial.length;
  };
  for (Partial& partial : level)
    if (!is_worse(partial)) best.push_back(std::move(partial));
  level = std::move(best);
}

class ForkSearch {
 public:
  ForkSearch(const DelayModel& model, Fork fork, Time upper)
      : fork_(std::move(fork)),
        root_end_(model.mean_duration(fork_.root)),
        upper_(upper),
        processors_(std::min(model.processor_count(), fork_.leaves.size() + 1)) {}

  std::optional<Timetable> run(std::uint64_t effort) {
    Time left{0};
    for (const Leaf& leaf : fork_.leaves) left += leaf.work;
    Partial root{std::vector<Time>(processors_, fork_.leaves[0].arrival), root_end_};
    root.free[0] = root_end_;
    levels_.push_back({std::move(root)});
    for (std::size_t i = 0; i < fork_.leaves.size(); ++i) {
      left -= fork_.leaves[i].work;
      std::vector<Partial> next;
      for (std::uint32_t before = 0; before < levels_[i].size(); ++before) {
        if (effort == 0) return std::nullopt;
        --effort;
        extend(i, before, left, next);
      }
      keep_best(next);
      levels_.push_back(std::move(next));
    }
    return best();
  }

 private:
  /// Appends all placements of leaf `i` to `next`.
  void extend(std::size_t i, std::uint32_t before, Time left, std::vector<Partial>& next) const {
    const Partial& partial = levels_[i][before];
    for (std::uint32_t place = 0; place < processors_; ++place) {
      if (place > 1 && partial.free[place] == partial.free[place - 1]) continue;
      Partial then = partial;
      const Time end = add(then.free, place, i);
      then.length = std::max(then.length, end);
      then.place = place;
      then.before = before;
      if (then.length <= upper_ && area_bound(then.free, left) <= upper_) next.push_back(std::move(then));
    }
  }

  /// Puts leaf `i` on the processor at a place and returns its end. On the other processors no later leaf
  /// starts before the next leaf's data arrives.
  Time add(std::vector<Time>& free, std::uint32_t place, std::size_t i) const {
    const Time end = free[place] += fork_.leaves[i].work;
    if (i + 1 < fork_.leaves.size())
      for (std::size_t p = 1; p < free.size(); ++p) free[p] = std::max(free[p], fork_.leaves[i + 1].arrival);
    std::sort(free.begin() + 1, free.end());
    return end;
  }

  [[nodiscard]] Timetable best() const {
    std::vector<std::uint32_t> places(fork_.leaves.size());
    const Partial* at = &*std::ranges::min_element(levels_.back(), {}, &Partial::length);
    for (std::size_t i = places.size(); i-- > 0;) {
      places[i] = at->place;
      at = &levels_[i][at->before];
    }
    Timetable made = timetable(places);
    return fork_.is_join ? made.reversed() : made;
  }

  [[nodiscard]] Timetable timetable(const std::vector<std::uint32_t>& places) const {
    Timetable made(places.size() + 1);
    auto put = [&](TaskId task, ProcessorId processor, Time start, Time end) {
      made.processor[task.index()] = processor;
      made.start[task.index()] = start;
      made.end[task.index()] = end;
    };
    put(fork_.root, ProcessorId(0), Time{0}, root_end_);
    // As in the search, with the ids of the processors.
    std::vector<std::pair<Time, ProcessorId>> free;
    for (std::size_t p = 0; p < processors_; ++p) free.emplace_back(levels_[0][0].free[p], ProcessorId(p));
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Leaf& leaf = fork_.leaves[i];
      for (std::size_t p = 1; p < free.size(); ++p) free[p].first = std::max(free[p].first, leaf.arrival);
      std::sort(free.begin() + 1, free.end());
      auto& [from, processor] = free[places[i]];
      put(leaf.task, processor, from, from + leaf.work);
      from += leaf.work;
    }
    return made;
  }

  Fork fork_;
  Time root_end_, upper_;
  std::size_t processors_;
  /// The partial schedules of the first leaves, indexed by the number of these leaves.
  std::vector<std::vector<Partial>> levels_;
};

}  // namespace

std::optional<Timetable> shortest_fork(const DelayModel& model, Time upper, std::uint64_t effort) {
  std::optional<Fork> fork = fork_of(model);
  if (!fork) return std::nullopt;
  return ForkSearch(model, *std::move(fork), upper).run(effort);
}

}  // namespace takt::schedulers
