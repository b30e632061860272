#include "schedulers/pipelining/pipelined_groups.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/graphs/task_groups.hpp"
#include "logp/redistribution.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/fit.hpp"
#include "schedulers/moldable/clusters.hpp"
#include "schedulers/pipelining/pipelined_search.hpp"
#include "schedulers/search/stage_search.hpp"

namespace takt::schedulers {

namespace {

constexpr std::size_t most_grouped_items = 1'000;
/// Number of items for which a move costs one step of the budget.
constexpr std::size_t items_per_step = 16;
/// Age, in steps, of the excess that a step is compared with.
constexpr std::size_t group_history_length = 500;

/// A task with all instances of an iteration, or, if it has no state, with one of them.
struct Item {
  TaskId task;
  std::uint32_t first = 0;
  std::uint32_t count = 1;
};

/// A range of the processors of a cluster.
struct Group {
  std::size_t cluster = 0;
  std::size_t first = 0;
  std::size_t size = 1;
};

/// The items of an iteration, their groups, and their places in the stacks of the processors.
class GroupStacks {
 public:
  GroupStacks(const TaskGraph& graph, const logp::Machine& machine, std::uint32_t frames)
      : graph_(graph), machine_(machine), clusters_(machine), frames_(frames) {
    for (TaskId task : graph.topological_order()) {
      const bool is_whole = frames == 1 || !graph.task(task).stateless;
      for (std::uint32_t frame = 0; frame < (is_whole ? 1 : frames); ++frame)
        items_.push_back({task, frame, is_whole ? frames : 1});
    }
    groups_.resize(items_.size());
    places_.resize(items_.size());
    for (std::size_t c = 0; c < clusters_.count(); ++c)
      for (std::size_t i = 0; i < clusters_.list[c].size(); ++i) positions_.emplace_back(c, i);
  }

  [[nodiscard]] std::size_t item_count() const { return items_.size(); }
  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
  [[nodiscard]] bool has_groups() const {
    return std::ranges::any_of(groups_, [](const Group& group) { return group.size > 1; });
  }

  /// Returns the largest group that an item can use in a cluster. Several frames of a stateless task need
  /// none: their work is least on one processor each.
  [[nodiscard]] std::size_t most(std::size_t item, std::size_t cluster) const {
    if (items_[item].count < frames_) return 1;
    return graph_.task(items_[item].task).most_processors(clusters_.list[cluster].size());
  }
  /// Returns a group of about this size around one of all processors.
  [[nodiscard]] Group group_at(std::size_t item, std::size_t position, std::size_t size) const {
    const auto [cluster, first] = positions_[position];
    const std::size_t fits = std::min(size, most(item, cluster));
    return {cluster, std::min(first, clusters_.list[cluster].size() - fits), fits};
  }
  [[nodiscard]] std::size_t processor_count() const { return positions_.size(); }

  void set(std::size_t item, const Group& group) { groups_[item] = group; }
  void set(const std::vector<Group>& groups) { groups_ = groups; }

  /// Takes the groups of a schedule of one frame, as far as they are ranges.
  void set(const TaskGroups& known) {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const std::vector<ProcessorId> wanted = known.group(items_[i].task);
      for (std::size_t position = 0; position < positions_.size() && !wanted.empty(); ++position) {
        const Group group = group_at(i, position, wanted.size());
        if (std::ranges::equal(processors(group), wanted)) groups_[i] = group;
      }
    }
  }

  /// Puts each item, longest first, on the processor with the least resulting stack.
  void spread() {
    std::vector<std::size_t> order(items_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t item) { return time(item); });
    std::vector<Time> tops(processor_count(), Time{0});
    for (std::size_t item : order) {
      const auto top = [&](std::size_t position) {
        groups_[item] = group_at(item, position, 1);
        return tops[position] + time(item);
      };
      std::size_t best = 0;
      for (std::size_t position = 1; position < tops.size(); ++position)
        if (top(position) < top(best)) best = position;
      tops[best] = top(best);
    }
  }

  /// Stacks all items.
  void stack() {
    std::vector<std::size_t> order(items_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t item) { return groups_[item].size; });
    tops_.assign(machine_.processor_count(), Time{0});
    for (std::size_t item : order) {
      Time& at = places_[item] = Time{0};
      for (ProcessorId p : processors(groups_[item])) at = std::max(at, tops_[p.index()]);
      const Time top = at + time(item);
      for (ProcessorId p : processors(groups_[item])) tops_[p.index()] = top;
    }
  }
  [[nodiscard]] Time height() const { return std::ranges::max(tops_); }
  /// Returns the sum over all processors of the time above a limit.
  [[nodiscard]] Time excess(Time limit) const {
    Time sum{0};
    for (const Time top : tops_) sum += std::max(Time{0}, top - limit);
    return sum;
  }
  /// Returns the items on the processor with the highest stack.
  [[nodiscard]] std::vector<std::size_t> highest_items() const {
    const auto highest = static_cast<std::size_t>(std::ranges::max_element(tops_) - tops_.begin());
    std::vector<std::size_t> result;
    for (std::size_t item = 0; item < items_.size(); ++item)
      if (std::ranges::binary_search(processors(groups_[item]), ProcessorId(highest))) result.push_back(item);
    return result;
  }

  /// Returns the schedule of the stacked items.
  [[nodiscard]] Schedule schedule() const {
    const Time repetition = height();
    struct Run {
      Time start{0};
      Time end{0};
      std::span<const ProcessorId> group;
    };
    std::vector<std::vector<Run>> runs(graph_.task_count(), std::vector<Run>(frames_));
    const auto ready = [&](TaskId task, std::uint32_t frame, std::span<const ProcessorId> group) {
      Time latest{0};
      for (EdgeId id : graph_.in_edges(task)) {
        const Edge edge = graph_.edge(id);
        const Run& from = runs[edge.from.index()][frame];
        latest =
            std::max(latest, from.end + logp::redistribution_time(machine_, from.group, group, edge.size));
      }
      return latest;
    };
    Schedule result("optfo", machine_.processor_count());
    result.replicas = frames_;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const auto& [task, first, count] = items_[i];
      const std::span<const ProcessorId> group = processors(groups_[i]);
      const Time length = machine_.duration(graph_, task, group);
      Time::rep iterations = 0;
      for (std::uint32_t r = 0; r < count; ++r) {
        const Time waits = ready(task, first + r, group) - places_[i] - length * Time::rep{r};
        if (waits > Time{0}) iterations = std::max(iterations, (waits + repetition - Time{1}) / repetition);
      }
      for (std::uint32_t r = 0; r < count; ++r) {
        const Time start = places_[i] + length * Time::rep{r} + repetition * iterations;
        runs[task.index()][first + r] = {start, start + length, group};
        for (ProcessorId p : group) result.add_compute(p, task, start, start + length, first + r);
      }
    }
    bool is_pipelined = false;
    for (std::vector<Operation>& operations : result.processors) {
      std::ranges::stable_sort(operations, {}, [](const Operation& operation) {
        return std::pair(operation.start, operation.end);
      });
      if (!operations.empty() && operations.back().end - operations.front().start > repetition)
        is_pipelined = true;
    }
    if (is_pipelined) result.repetition = repetition;
    return result;
  }

 private:
  [[nodiscard]] std::span<const ProcessorId> processors(const Group& group) const {
    return std::span(clusters_.list[group.cluster].processors).subspan(group.first, group.size);
  }
  [[nodiscard]] Time time(std::size_t item) const {
    return machine_.duration(graph_, items_[item].task, processors(groups_[item])) *
           Time::rep{items_[item].count};
  }

  const TaskGraph& graph_;
  const logp::Machine& machine_;
  Clusters clusters_;
  std::uint32_t frames_;
  /// In topological order.
  std::vector<Item> items_;
  /// Cluster of each processor, and its place there.
  std::vector<std::pair<std::size_t, std::size_t>> positions_;
  std::vector<Group> groups_;
  /// Starts of the items from the bottom of their stacks.
  std::vector<Time> places_;
  /// By processor.
  std::vector<Time> tops_;
};

/// Returns up to two items with new groups.
std::vector<std::pair<std::size_t, Group>> changed(const GroupStacks& stacks, SearchRandom& random) {
  std::size_t item = random.below(stacks.item_count());
  if (random.below(2) == 0) {
    const std::vector<std::size_t> highest = stacks.highest_items();
    item = highest[random.below(highest.size())];
  }
  if (random.below(2) == 0) {
    const std::size_t other = random.below(stacks.item_count());
    const Group &a = stacks.groups()[item], &b = stacks.groups()[other];
    if (stacks.most(item, b.cluster) >= b.size && stacks.most(other, a.cluster) >= a.size)
      return {{item, b}, {other, a}};
  }
  return {{item, stacks.group_at(item, random.below(stacks.processor_count()),
                                 1 + random.below(stacks.processor_count()))}};
}

void change(GroupStacks& stacks, SearchRandom& random) {
  for (const auto& [item, group] : changed(stacks, random)) stacks.set(item, group);
}

/// Leaves the lowest stacks that were found. Without an improvement in some hundred steps, it restarts from
/// the best ones after some random changes.
void improve(GroupStacks& stacks, Time bound, std::uint64_t& budget, SearchRandom& random) {
  const std::uint64_t cost = 1 + stacks.item_count() / items_per_step;
  std::vector<Group> best;
  Time least = Time::max(), limit{0}, excess{0};
  std::vector<Time> history(group_history_length);
  std::size_t step = 0, improved_at = 0;
  const auto aim = [&] {
    stacks.stack();
    if (stacks.height() < least) {
      best = stacks.groups();
      least = stacks.height();
      limit = std::max(bound, least - Time{1});
    }
    excess = stacks.excess(limit);
    std::ranges::fill(history, excess);
    improved_at = step;
  };
  for (aim(); budget >= cost && least > bound; ++step) {
    budget -= cost;
    if (step - improved_at > group_history_length) {
      stacks.set(best);
      stacks.stack();
      for (std::size_t moves = 2 + random.below(stacks.item_count()); moves > 0; --moves) {
        change(stacks, random);
        stacks.stack();
      }
      aim();
    }
    const std::vector<Group> before = stacks.groups();
    change(stacks, random);
    stacks.stack();
    const Time now = stacks.excess(limit);
    Time& late = history[step % group_history_length];
    if (now > excess && now > late) {
      stacks.set(before);
      stacks.stack();
    } else {
      excess = now;
    }
    late = std::min(late, excess);
    if (excess == Time{0}) aim();
  }
  stacks.set(best);
  stacks.stack();
}

}  // namespace

std::optional<Schedule> search_pipelined_groups(const TaskGraph& graph, const logp::Machine& machine,
                                                const Schedule& start, const Period& bound,
                                                std::uint64_t& budget, std::uint64_t seed) {
  std::optional<Schedule> best;
  if (!graph.is_moldable() || machine.processor_count() < 2) return best;
  Period shortest = measure(start).exact_period();
  const std::uint32_t frames = can_replicate(graph, machine) ? most_pipelined_frames : 1;
  for (std::uint32_t count = 1; count <= frames && bound < shortest; ++count) {
    GroupStacks stacks(graph, machine, count);
    if (stacks.item_count() > most_grouped_items || count > most_frames_in_sum(graph, machine)) break;
    std::uint64_t slice = budget / (frames - count + 1);
    budget -= slice;
    SearchRandom random(seed);
    stacks.spread();
    if (count == 1 && start.replicas == 1) stacks.set(TaskGroups(graph, start));
    improve(stacks, bound.time_of(count), slice, random);
    budget += slice;
    if (!stacks.has_groups() || !(Period{stacks.height(), count} < shortest)) continue;
    best = stacks.schedule();
    shortest = {stacks.height(), count};
  }
  return best;
}

}  // namespace takt::schedulers
