#include "pipeline/planning/simpler_plan.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "pipeline/planning/rank_memory.hpp"

namespace takt::pipeline {

namespace {

constexpr double least_gain_of_ranks = 1.15, least_gain_beyond_cache = 1.3;
/// A simpler plan that is predicted to take so much longer is not considered at all.
constexpr double most_loss = 1.6;

/// For frames, on the node whose ranks take most.
Bytes memory_of_node(const Pipeline& pipeline, const TaskGraph& graph, const logp::Machine& machine,
                     const Schedule& schedule) {
  const Platform& platform = machine.platform();
  std::vector<std::uint64_t> bytes(platform.cluster_of_node.size());
  const std::vector<Bytes> of_ranks = memory_of_ranks(pipeline, graph, machine, schedule);
  for (std::size_t p = 0; p < machine.processor_count(); ++p) bytes[platform.node_of[p]] += of_ranks[p].count;
  return Bytes{std::ranges::max(bytes)};
}

std::string reached_by(const schedulers::Plan& plan) {
  return fmt::format("{} is predicted to reach {} on {} ranks", plan.evaluation.schedule.scheduler,
                     to_string(Frequency{1e9 / plan.prediction.period}),
                     plan.evaluation.figures.processors_used);
}

/// One frame at a time; nothing where chains cannot serve this machine.
std::optional<schedulers::Plan> chain_of(const TaskGraph& graph, const logp::Machine& machine,
                                         schedulers::Goal goal) {
  goal.scheduler = "chains";
  try {
    schedulers::Plan chain = make_plan(graph, machine, goal);
    if (chain.evaluation.schedule.replicas > 1) return std::nullopt;
    return chain;
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<SimplerPlan> one_rank(const TaskGraph& graph, const logp::Machine& machine,
                                    schedulers::Goal goal, const schedulers::Plan& plan) {
  if (plan.evaluation.figures.processors_used < 2) return std::nullopt;
  goal.scheduler = "single";
  schedulers::Plan single = make_plan(graph, machine, goal);
  const double loss = single.prediction.period / plan.prediction.period;
  return SimplerPlan{std::move(single), loss < least_gain_of_ranks,
                     fmt::format("{}, hardly more than one rank: this is one rank's plan; `--try` measures "
                                 "both",
                                 reached_by(plan))};
}

std::optional<SimplerPlan> chain_within_cache(const Pipeline& pipeline, const TaskGraph& graph,
                                              const logp::Machine& machine, schedulers::Goal goal,
                                              const schedulers::Plan& plan, Bytes cache) {
  const Schedule& schedule = plan.evaluation.schedule;
  if (schedule.replicas < 2) return std::nullopt;
  const Bytes memory = memory_of_node(pipeline, graph, machine, schedule);
  if (memory <= cache) return std::nullopt;
  std::optional<schedulers::Plan> chain = chain_of(graph, machine, goal);
  if (!chain) return std::nullopt;
  const double loss = chain->prediction.period / plan.prediction.period;
  if (loss >= most_loss || memory_of_node(pipeline, graph, machine, chain->evaluation.schedule) > cache)
    return std::nullopt;
  return SimplerPlan{*std::move(chain), loss < least_gain_beyond_cache,
                     fmt::format("{} with {} frames at a time, whose {} do not fit the cache of {}: this "
                                 "plan's do; `--try` measures both",
                                 reached_by(plan), schedule.replicas, to_string(memory), to_string(cache))};
}

std::optional<SimplerPlan> chain_for_seldom_calls(const Pipeline& pipeline, const TaskGraph& graph,
                                                  const logp::Machine& machine, schedulers::Goal goal,
                                                  const schedulers::Plan& plan) {
  bool has_seldom_calls = false;
  for (std::size_t stage = 0; stage < pipeline.stages.size(); ++stage)
    has_seldom_calls = has_seldom_calls || pipeline.calls_a_frame(stage) < 1;
  if (plan.evaluation.schedule.replicas < 2 || !has_seldom_calls) return std::nullopt;
  std::optional<schedulers::Plan> chain = chain_of(graph, machine, goal);
  if (!chain) return std::nullopt;
  return SimplerPlan{*std::move(chain), false, ""};
}

}  // namespace takt::pipeline
