#include "schedulers/task_chains/core_chain.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "schedulers/fit.hpp"
#include "schedulers/relay/chain_routes.hpp"

namespace takt::schedulers {

namespace {

/// Limit of operations of a schedule, beyond which stages release cores: some seconds for the checker.
constexpr std::size_t most_operations = 200'000;

/// Returns the classes of a machine's processors, the fastest one for the whole graph first.
std::vector<std::vector<ProcessorId>> classes_of(const Workload& workload) {
  std::vector<std::vector<ProcessorId>> classes(workload.class_count());
  for (ProcessorId p : workload.machine().processors()) classes[workload.class_of(p)].push_back(p);
  const auto total = [&](const std::vector<ProcessorId>& members) {
    const std::vector<Time>& times = workload.times(workload.class_of(members.front()));
    return std::accumulate(times.begin(), times.end(), Time{0});
  };
  std::ranges::stable_sort(classes, std::less{}, total);
  return classes;
}

CoreChain chain_of(const Workload& workload, const std::vector<std::vector<ProcessorId>>& classes) {
  const TaskGraph& graph = workload.original();
  std::array<std::vector<Time>, 2> times;
  std::vector<bool> stateless;
  for (TaskId task : graph.topological_order()) {
    const auto time = [&](std::size_t index) {
      return workload.time(task, workload.class_of(classes[index].front()));
    };
    times[big_core].push_back(time(0));
    Time slowest = time(classes.size() - 1);
    for (std::size_t i = 1; i < classes.size(); ++i) slowest = std::max(slowest, time(i));
    times[little_core].push_back(slowest);
    stateless.push_back(graph.task(task).stateless);
  }
  return {std::move(times), std::move(stateless)};
}

std::uint32_t frames_of(const ChainStages& stages, std::size_t most) {
  std::size_t frames = 1;
  for (const ChainStage& stage : stages) {
    frames = std::lcm(frames, stage.cores);
    if (frames > most) return 0;
  }
  return static_cast<std::uint32_t>(frames);
}

}  // namespace

CoreChain::CoreChain(std::array<std::vector<Time>, 2> times, std::vector<bool> stateless)
    : stateless_(std::move(stateless)), next_stateful_(stateless_.size() + 1, stateless_.size()) {
  for (std::size_t c = 0; c < times.size(); ++c) {
    sums_[c].resize(size() + 1, Time{0});
    std::partial_sum(times[c].begin(), times[c].end(), sums_[c].begin() + 1);
  }
  for (std::size_t i = size(); i-- > 0;) next_stateful_[i] = stateless_[i] ? next_stateful_[i + 1] : i;
}

double CoreChain::load(std::size_t begin, std::size_t end, std::size_t cores, std::size_t core_class) const {
  if (cores == 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(work(begin, end, core_class).count()) /
         static_cast<double>(usable(begin, end, cores));
}

Time CoreChain::longest_task(std::size_t core_class) const {
  Time longest{0};
  for (std::size_t i = 0; i < size(); ++i) longest = std::max(longest, work(i, i + 1, core_class));
  return longest;
}

Time CoreChain::longest_stateful_task(std::size_t core_class) const {
  Time longest{0};
  for (std::size_t i = next_stateful(0); i < size(); i = next_stateful(i + 1))
    longest = std::max(longest, work(i, i + 1, core_class));
  return longest;
}

Period CoreChain::period(const ChainStages& stages) const {
  Period period{Time{0}, 1};
  for (const ChainStage& stage : stages)
    period =
        std::max(period, Period{work(stage.begin, stage.end, stage.core_class),
                                static_cast<std::uint32_t>(usable(stage.begin, stage.end, stage.cores))});
  return period;
}

ChainOnCores::ChainOnCores(const Workload& workload)
    : chain(chain_of(workload, classes_of(workload))), cores() {
  const std::vector<std::vector<ProcessorId>> classes = classes_of(workload);
  cores[big_core] = classes.front();
  for (std::size_t i = 1; i < classes.size(); ++i)
    cores[little_core].insert(cores[little_core].end(), classes[i].begin(), classes[i].end());
}

Schedule schedule_of(const TaskGraph& graph, const logp::Machine& machine, const ChainOnCores& problem,
                     ChainStages stages) {
  const auto most_frames = static_cast<std::size_t>(
      std::clamp(most_frames_in_sum(graph, machine), 1.0,
                 static_cast<double>(std::max<std::size_t>(1, most_operations / graph.task_count()))));
  std::uint32_t frames = frames_of(stages, most_frames);
  // The stage with the smallest relative increase of its load releases a core.
  while (frames == 0) {
    const auto after = [&](const ChainStage& stage) {
      return problem.chain.load(stage.begin, stage.end, stage.cores - 1, stage.core_class);
    };
    --std::ranges::min_element(stages, std::less{}, after)->cores;
    frames = frames_of(stages, most_frames);
  }
  const Workload workload(graph, machine, frames);
  std::vector<std::vector<TaskId>> items(graph.task_count());
  for (TaskId item : workload.items().tasks()) items[workload.task_of(item).index()].push_back(item);

  Stages placed;
  placed.stage_of.resize(workload.item_count());
  std::array<std::size_t, 2> used{};
  for (const ChainStage& stage : stages) {
    const std::size_t first = placed.chain.size();
    for (std::size_t core = 0; core < stage.cores; ++core)
      placed.chain.push_back(problem.cores[stage.core_class][used[stage.core_class]++]);
    for (std::size_t at = stage.begin; at < stage.end; ++at)
      for (TaskId item : items[graph.topological_order()[at].index()])
        placed.stage_of[item.index()] =
            static_cast<std::uint32_t>(first + workload.instance_of(item) % stage.cores);
  }
  return make_schedule(workload, placed, ChainRoutes(placed.chain.size(), Routing::direct));
}

}  // namespace takt::schedulers
