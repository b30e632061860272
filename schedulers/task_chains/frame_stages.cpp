#include "schedulers/task_chains/frame_stages.hpp"

#include <algorithm>
#include <numeric>

#include "schedulers/fit.hpp"
#include "schedulers/relay/chain_routes.hpp"
#include "schedulers/task_chains/core_chain.hpp"
#include "schedulers/task_chains/herad.hpp"

namespace takt::schedulers {

namespace {

constexpr std::uint32_t most_frames = 64;
/// Items of the largest number of frames: beyond, a timetable takes seconds.
constexpr std::size_t most_items = 20'000;
constexpr std::size_t most_states = 200'000;
/// Steps of herad's table that take a few milliseconds.
constexpr double most_herad_steps = 1e7;

/// Up to where a chain is done: tasks times the frames of a repetition, and the frames of the next task.
using Front = std::uint64_t;

/// A processor of a class works from the front of the stage before to this one.
struct FrameStage {
  std::uint32_t processor_class = 0;
  Front end = 0;
};
using FrameStages = std::vector<FrameStage>;

/// Returns whether the stages can be a schedule: their messages have no routes through networks.
bool has_frame_stages(const TaskGraph& graph, const logp::Machine& machine) {
  return graph.task_count() > 0 && !graph.is_moldable() && machine.platform().network.empty();
}

Time sequential_time(const Workload& workload, std::uint32_t processor_class) {
  const std::vector<Time>& times = workload.times(processor_class);
  return std::accumulate(times.begin(), times.end(), Time{0});
}

std::vector<std::uint32_t> fastest_class_first(const Workload& workload) {
  std::vector<std::uint32_t> classes;
  for (std::uint32_t c = 0; c < workload.class_count(); ++c) classes.push_back(c);
  std::ranges::stable_sort(classes, std::less{},
                           [&](std::uint32_t c) { return sequential_time(workload, c); });
  return classes;
}

/// Repetitions of so many frames are tried.
std::uint32_t frames_to_try(const TaskGraph& graph, const logp::Machine& machine) {
  const auto is_stateless = [&](TaskId task) { return graph.task(task).stateless; };
  if (std::ranges::none_of(graph.tasks(), is_stateless)) return 1;
  const auto of_items = static_cast<double>(most_items / graph.task_count());
  return static_cast<std::uint32_t>(
      std::max(1.0, std::min({of_items, double{most_frames}, most_frames_in_sum(graph, machine)})));
}

class Fronts {
 public:
  explicit Fronts(const Workload& workload)
      : order_(workload.original().topological_order()), classes_(fastest_class_first(workload)) {
    sequential_ = sequential_time(workload, classes_.front());
    std::vector<std::size_t> members(classes_.size());
    for (ProcessorId p : workload.machine().processors()) ++members[workload.class_of(p)];
    for (std::uint32_t c : classes_) {
      const std::size_t size = members[c] + 1;
      if (states_ > most_states / size) {
        states_ = 0;
        return;
      }
      sizes_.push_back(size);
      places_.push_back(states_);
      states_ *= size;
      auto& times = times_.emplace_back();
      for (TaskId task : order_) times.push_back(workload.time(task, c).count());
    }
    for (TaskId task : order_) stateless_.push_back(workload.original().task(task).stateless);
    front_.resize(states_);
    last_.resize(states_);
  }

  /// Whether there are few enough numbers of processors of each class to try them all.
  [[nodiscard]] bool can_search() const { return states_ > 0; }
  /// Of all tasks on the fastest processor.
  [[nodiscard]] Time sequential() const { return sequential_; }

  /// Whether all processors together do so many frames in a repetition.
  [[nodiscard]] bool fit(std::uint32_t frames, Time repetition) {
    for (std::size_t state = 1; state < states_; ++state)
      if (reach(state, frames, repetition) == all(frames)) return true;
    return false;
  }

  /// The stages with the fewest processors that do so; they must fit.
  [[nodiscard]] FrameStages stages(std::uint32_t frames, Time repetition) {
    std::size_t best = 0;
    for (std::size_t state = 1; state < states_; ++state)
      if (reach(state, frames, repetition) == all(frames) && (best == 0 || used(state) < used(best)))
        best = state;
    FrameStages stages;
    for (std::size_t state = best; state > 0; state -= places_[last_[state]])
      if (front_[state - places_[last_[state]]] < front_[state])
        stages.push_back({classes_[last_[state]], front_[state]});
    std::ranges::reverse(stages);
    return stages;
  }

  /// Processors in all, then those of the fastest class, and so on.
  [[nodiscard]] std::vector<std::size_t> used(const FrameStages& stages) const {
    std::vector<std::size_t> used{stages.size()};
    for (std::uint32_t c : classes_)
      used.push_back(static_cast<std::size_t>(std::ranges::count(stages, c, &FrameStage::processor_class)));
    return used;
  }

 private:
  [[nodiscard]] Front all(std::uint32_t frames) const { return order_.size() * Front{frames}; }

  /// Processors in all, then those of the fastest class, and so on.
  [[nodiscard]] std::vector<std::size_t> used(std::size_t state) const {
    std::vector<std::size_t> used{0};
    for (std::size_t c = 0; c < sizes_.size(); ++c) {
      used.push_back(state / places_[c] % sizes_[c]);
      used.front() += used.back();
    }
    return used;
  }

  Front reach(std::size_t state, std::uint32_t frames, Time repetition) {
    Front best = 0;
    for (std::size_t c = 0; c < sizes_.size(); ++c) {
      if (state / places_[c] % sizes_[c] == 0) continue;
      const Front front = advance(front_[state - places_[c]], c, frames, repetition.count());
      // Of equals the slowest class.
      if (front < best) continue;
      best = front;
      last_[state] = static_cast<std::uint32_t>(c);
    }
    return front_[state] = best;
  }

  [[nodiscard]] Front advance(Front from, std::size_t c, Front frames, Time::rep left) const {
    Front task = from / frames, done = from % frames;
    const std::vector<Time::rep>& times = times_[c];
    for (; task < times.size(); ++task, done = 0) {
      const Front to_do = frames - done;
      const Time::rep time = times[task], whole = time * static_cast<Time::rep>(to_do);
      if (whole <= left) {
        left -= whole;
        continue;
      }
      if (stateless_[task]) done += static_cast<Front>(left / time);
      break;
    }
    return task * frames + done;
  }

  std::span<const TaskId> order_;
  /// By class, the fastest one first: its number, its size and one more, and what a processor of it adds to a
  /// state; the times of the tasks in their order.
  std::vector<std::uint32_t> classes_;
  std::vector<std::size_t> sizes_, places_;
  std::vector<std::vector<Time::rep>> times_;
  std::vector<bool> stateless_;
  std::size_t states_ = 1;
  Time sequential_{0};
  /// By state: how far its processors get, and the class of the last one.
  std::vector<Front> front_;
  std::vector<std::uint32_t> last_;
};

Schedule schedule_of(const TaskGraph& graph, const logp::Machine& machine, std::uint32_t frames,
                     const FrameStages& stages) {
  const Workload workload(graph, machine, frames);
  std::vector<std::vector<ProcessorId>> members(workload.class_count());
  for (ProcessorId p : machine.processors()) members[workload.class_of(p)].push_back(p);
  Stages placed;
  std::vector<std::size_t> used(members.size());
  for (const FrameStage& stage : stages)
    placed.chain.push_back(members[stage.processor_class][used[stage.processor_class]++]);
  std::vector<Front> place(graph.task_count());
  Front next = 0;
  for (TaskId task : graph.topological_order()) place[task.index()] = next++ * frames;
  for (TaskId item : workload.items().tasks()) {
    const Front front = place[workload.task_of(item).index()] + workload.instance_of(item);
    placed.stage_of.push_back(static_cast<std::uint32_t>(
        std::ranges::upper_bound(stages, front, std::less{}, &FrameStage::end) - stages.begin()));
  }
  return make_schedule(workload, placed, ChainRoutes(placed.chain.size(), Routing::direct));
}

/// The longest repetition of so many frames with a period that is shorter than `period` by the gain.
Time just_below(const Period& period, std::uint32_t frames, double least_gain) {
  const Time below = period.time_of(frames) - Time{1};
  const auto gained = static_cast<Time::rep>(period.ticks() * frames * (1 - least_gain));
  return least_gain > 0 ? std::min(below, Time(gained)) : below;
}

/// herad's stages where they repeat sooner than the best so far.
std::optional<Schedule> herad_below(const TaskGraph& graph, const logp::Machine& machine,
                                    const Workload& workload, const Period& best) {
  const ChainOnCores problem(workload);
  const auto tasks = static_cast<double>(graph.task_count());
  const double big = static_cast<double>(problem.counts()[big_core]) + 1,
               little = static_cast<double>(problem.counts()[little_core]) + 1;
  if (tasks * tasks * big * little * (big + little) > most_herad_steps) return std::nullopt;
  const ChainStages stages = herad_stages(problem.chain, problem.counts());
  if (problem.chain.period(stages) >= best) return std::nullopt;
  return schedule_of(graph, machine, problem, stages);
}

}  // namespace

bool is_chain(const TaskGraph& graph) {
  return std::ranges::all_of(graph.tasks(), [&](TaskId task) {
    const auto in = graph.in_edges(task), out = graph.out_edges(task);
    return std::ranges::all_of(in,
                               [&](EdgeId e) { return graph.edge(e).from == graph.edge(in.front()).from; }) &&
           std::ranges::all_of(out, [&](EdgeId e) { return graph.edge(e).to == graph.edge(out.front()).to; });
  });
}

std::vector<Schedule> frame_stages(const TaskGraph& graph, const logp::Machine& machine, const Period& bound,
                                   double least_gain) {
  if (!has_frame_stages(graph, machine)) return {};
  const Workload workload(graph, machine);
  Fronts fronts(workload);
  if (!fronts.can_search()) return {};
  std::vector<Schedule> schedules;
  Period best{fronts.sequential() + Time{1}, 1};
  const std::uint32_t most = frames_to_try(graph, machine);
  for (std::uint32_t frames = 1; frames <= most; ++frames) {
    Time most_time = just_below(best, frames, schedules.empty() ? 0 : least_gain);
    // Of periods below the bound there is no need.
    Time least = bound.time_of(frames) - Time{1};
    if (most_time <= least || !fronts.fit(frames, most_time)) continue;
    while (most_time - least > Time{1}) {
      const Time middle = least + (most_time - least) / 2;
      (fronts.fit(frames, middle) ? most_time : least) = middle;
    }
    best = {most_time, frames};
    schedules.push_back(schedule_of(graph, machine, frames, fronts.stages(frames, most_time)));
    if (best <= bound) break;
  }
  if (best > bound)
    if (std::optional<Schedule> schedule = herad_below(graph, machine, workload, best))
      schedules.push_back(*std::move(schedule));
  return schedules;
}

std::optional<Schedule> fewest_frame_stages(const TaskGraph& graph, const logp::Machine& machine,
                                            const std::function<Time(std::uint32_t frames)>& time_of) {
  if (!has_frame_stages(graph, machine)) return std::nullopt;
  const Workload workload(graph, machine);
  Fronts fronts(workload);
  if (!fronts.can_search()) return std::nullopt;
  FrameStages best;
  std::uint32_t best_frames = 0;
  for (std::uint32_t frames = 1; frames <= frames_to_try(graph, machine); ++frames) {
    if (!fronts.fit(frames, time_of(frames))) continue;
    FrameStages stages = fronts.stages(frames, time_of(frames));
    if (best_frames > 0 && fronts.used(stages) >= fronts.used(best)) continue;
    best = std::move(stages);
    best_frames = frames;
  }
  if (best_frames == 0) return std::nullopt;
  return schedule_of(graph, machine, best_frames, best);
}

std::vector<std::size_t> used_by_class(const Workload& workload, const Schedule& schedule) {
  std::vector<std::size_t> used(workload.class_count());
  for (ProcessorId p : workload.machine().processors())
    if (!schedule.processors[p.index()].empty()) ++used[workload.class_of(p)];
  std::vector<std::size_t> in_order;
  for (std::uint32_t c : fastest_class_first(workload)) in_order.push_back(used[c]);
  return in_order;
}

}  // namespace takt::schedulers
