#include "schedulers/replication/interleaving.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "logp/period.hpp"
#include "logp/timing.hpp"
#include "schedulers/fit.hpp"
#include "schedulers/replication/frame_graph.hpp"
#include "schedulers/replication/rounds.hpp"
#include "schedulers/search/stage_search.hpp"
#include "schedulers/search/workload.hpp"
#include "schedulers/sequences/arrangement.hpp"
#include "schedulers/sequences/sequence_search.hpp"

namespace takt::schedulers {

namespace {

constexpr std::size_t most_tasks_of_frames = 120;
constexpr std::uint32_t most_frames = 8;
/// If the possible gain is below this share of the period, only a part of the moves is tried.
constexpr double large_gain = 0.03;
constexpr std::uint64_t share_of_small_gains = 5;

/// Largest first, stateful ones before the others, each on the processor with the least resulting load.
logp::Allocation balanced(const FrameGraph& frames, const TaskGraph& graph, const Workload& workload) {
  const std::size_t processors = workload.machine().processor_count();
  std::vector<TaskId> largest_first(graph.topological_order().begin(), graph.topological_order().end());
  std::ranges::stable_sort(largest_first, [&](TaskId a, TaskId b) {
    return std::pair(graph.task(a).stateless, -graph.task(a).work) <
           std::pair(graph.task(b).stateless, -graph.task(b).work);
  });
  std::vector<Time> load(processors, Time{0});
  std::vector<std::size_t> processor_of(frames.graph().task_count());
  const auto put = [&](TaskId task, std::uint32_t first, std::uint32_t count) {
    const auto time = [&](std::size_t p) {
      return workload.time(frames.of_frame(task, first), workload.class_of(ProcessorId(p))) * count;
    };
    std::size_t best = 0;
    for (std::size_t p = 1; p < processors; ++p)
      if (load[p] + time(p) < load[best] + time(best)) best = p;
    load[best] += time(best);
    for (std::uint32_t frame = first; frame < first + count; ++frame)
      processor_of[frames.of_frame(task, frame).index()] = best;
  };
  for (TaskId task : largest_first) {
    if (!graph.task(task).stateless) {
      put(task, 0, frames.frames());
    } else {
      for (std::uint32_t frame = 0; frame < frames.frames(); ++frame) put(task, frame, 1);
    }
  }
  logp::Allocation allocation{std::vector<std::vector<TaskId>>(processors)};
  for (TaskId task : graph.topological_order())
    for (std::uint32_t frame = 0; frame < frames.frames(); ++frame) {
      const TaskId each = frames.of_frame(task, frame);
      allocation.order[processor_of[each.index()]].push_back(each);
    }
  return allocation;
}

std::uint32_t frames_that_fit(const TaskGraph& graph, const logp::Machine& machine) {
  const std::size_t most =
      std::min<std::size_t>(most_frames, most_tasks_of_frames / std::max<std::size_t>(1, graph.task_count()));
  return static_cast<std::uint32_t>(std::min(static_cast<double>(most), most_frames_in_sum(graph, machine)));
}

}  // namespace

bool can_interleave(const TaskGraph& graph, const logp::Machine& machine) {
  const auto is_stateless = [&](TaskId task) { return graph.task(task).stateless; };
  if (graph.is_moldable() || !machine.platform().network.empty() || frames_that_fit(graph, machine) < 2)
    return false;
  if (std::ranges::all_of(graph.tasks(), is_stateless) || std::ranges::none_of(graph.tasks(), is_stateless))
    return false;
  return can_improve_sequences(Workload(graph, machine));
}

std::optional<Schedule> interleave(const TaskGraph& graph, const logp::Machine& machine, const Period& least,
                                   const Period& bound, std::uint64_t& budget, std::uint64_t seed,
                                   double least_gain) {
  std::optional<Schedule> best;
  Period shortest = least;
  const std::uint32_t most = frames_that_fit(graph, machine);
  for (std::uint32_t count = 2; count <= most && budget > 0 && bound < shortest; ++count) {
    const double aim = shortest.ticks() * (1 - least_gain);
    if (aim < bound.ticks()) break;
    const FrameGraph frames(graph, count);
    const Workload workload(frames.graph(), machine);
    const Bundles bundles(frames.graph().task_count(), frames.bundles());
    const auto add = [&](const logp::Allocation& allocation) {
      for (const bool aggregate : {true, false}) {
        Schedule schedule = frames.replicated(logp::with_least_repetition(
            machine,
            logp::time_task_messages(frames.graph(), machine, allocation, {.aggregate = aggregate})));
        const Period period = measure(schedule).exact_period();
        if (period >= shortest || period.ticks() > aim) continue;
        shortest = period;
        best = std::move(schedule);
      }
    };
    const bool is_close = shortest.ticks() * (1 - large_gain) < bound.ticks();
    std::uint64_t slice = budget / (most - count + 1) / (is_close ? share_of_small_gains : 1);
    budget -= slice;
    // A separate generator, so that the result for one number does not depend on the searches for others.
    SearchRandom random(seed * (most_frames + 1) + count);
    logp::Allocation allocation = balanced(frames, graph, workload);
    improve_in_rounds(slice, [&](std::uint64_t& moves) {
      allocation = improve_sequences(workload, allocation, bound.time_of(count), moves, random, &bundles);
      add(allocation);
    });
    budget += slice;
  }
  return best;
}

}  // namespace takt::schedulers
