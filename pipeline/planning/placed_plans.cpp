#include "pipeline/planning/placed_plans.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "pipeline/constants.hpp"

namespace takt::pipeline {

namespace {

bool has_places(const RanksByStage& ranks) {
  return std::ranges::any_of(ranks, [](const auto& each) { return !each.empty(); });
}

/// Numbers of processors that satisfy the places of their tasks.
class Numbers {
 public:
  Numbers(const Schedule& schedule, const RanksByStage& ranks)
      : count_(schedule.processors.size()), may_be_(count_, std::vector<bool>(count_, true)), owner_(count_) {
    for (std::size_t p = 0; p < count_; ++p)
      for (const Operation& operation : schedule.processors[p]) {
        if (operation.kind != OperationKind::compute) continue;
        const std::vector<std::size_t>& own = ranks.at(operation.task().index());
        for (std::size_t rank = 0; !own.empty() && rank < count_; ++rank)
          if (std::ranges::count(own, rank) == 0) may_be_[p][rank] = false;
      }
  }

  /// Returns the number of each processor; nothing if there is no solution.
  [[nodiscard]] std::optional<std::vector<std::size_t>> find() {
    for (std::size_t p = 0; p < count_; ++p) {
      std::vector<bool> is_seen(count_);
      if (!assign(p, is_seen)) return std::nullopt;
    }
    std::vector<std::size_t> numbers(count_);
    for (std::size_t rank = 0; rank < count_; ++rank) numbers[*owner_[rank]] = rank;
    return numbers;
  }

 private:
  bool assign(std::size_t p, std::vector<bool>& is_seen) {
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t rank = (p + i) % count_;
      if (!may_be_[p][rank] || is_seen[rank]) continue;
      is_seen[rank] = true;
      if (owner_[rank] && !assign(*owner_[rank], is_seen)) continue;
      owner_[rank] = p;
      return true;
    }
    return false;
  }

  std::size_t count_;
  std::vector<std::vector<bool>> may_be_;
  /// By number.
  std::vector<std::optional<std::size_t>> owner_;
};

/// Returns nothing if the plan cannot be renumbered, or its processors differ.
std::optional<PipelinePlan> in_places(PipelinePlan plan, const Pipeline& pipeline, std::size_t cores,
                                      const RanksByStage& ranks) try {
  const std::optional<Schedule> schedule = renumbered(plan.schedule(), ranks);
  if (!schedule) return std::nullopt;
  if (schedule->processors == plan.schedule().processors) return plan;
  PipelinePlan moved = plan_of_schedule({plan.graph, plan.machine, *schedule}, "the plan", pipeline, cores);
  moved.summary.objective = plan.summary.objective;
  return moved;
} catch (const ConfigError&) {
  return std::nullopt;
}

const Place& first_place(const Pipeline& pipeline) {
  return *std::ranges::find_if(pipeline.stages, [](const Stage& stage) {
            return stage.place.has_value();
          })->place;
}

}  // namespace

std::optional<Schedule> renumbered(const Schedule& schedule, const RanksByStage& ranks) {
  const std::optional<std::vector<std::size_t>> numbers = Numbers(schedule, ranks).find();
  if (!numbers) return std::nullopt;
  Schedule result = schedule;
  for (std::size_t p = 0; p < numbers->size(); ++p) result.processors[(*numbers)[p]] = schedule.processors[p];
  for (Message& message : result.messages) {
    message.from = ProcessorId((*numbers)[message.from.index()]);
    message.to = ProcessorId((*numbers)[message.to.index()]);
  }
  return result;
}

std::vector<StageCost> costs_in_places(const RanksByStage& ranks, const Pipeline& pipeline,
                                       std::size_t rank_count, std::vector<StageCost> costs) {
  double frame_ns = 1;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    Time longest = costs[i].cost;
    for (const StageCost::OnRank& on_rank : costs[i].by_rank) longest = std::max(longest, on_rank.cost);
    frame_ns += static_cast<double>(longest.count()) * pipeline.calls_a_frame(i);
  }
  // Also far above the costs of messages, and the time that a rate leaves for a frame.
  constexpr double factor = 100;
  double longest_ns = factor * frame_ns;
  for (const std::optional<Frequency>& rate : {pipeline.required_rate(), pipeline.source_rate()})
    if (rate) longest_ns = std::max(longest_ns, factor * 1e9 / rate->hertz);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    std::vector<StageCost::OnRank>& by_rank = costs[i].by_rank;
    if (by_rank.empty()) by_rank.assign(rank_count, {costs[i].cost, costs[i].copy});
    // Plans count only the share of a call per frame.
    const Time elsewhere(static_cast<Time::rep>(std::ceil(longest_ns / pipeline.calls_a_frame(i))));
    for (std::size_t rank = 0; !ranks[i].empty() && rank < rank_count; ++rank)
      if (std::ranges::count(ranks[i], rank) == 0) by_rank[rank].cost = elsewhere;
  }
  return costs;
}

std::vector<PipelinePlan> candidates_in_places(const Pipeline& pipeline, const std::vector<StageCost>& costs,
                                               const Surroundings& surroundings, const RanksByStage& ranks) {
  if (!has_places(ranks)) return candidate_plans(pipeline, costs, surroundings);
  std::vector<PipelinePlan> plans;
  const auto keep = [&](std::vector<PipelinePlan> candidates) {
    for (PipelinePlan& candidate : candidates) {
      std::optional<PipelinePlan> plan = in_places(std::move(candidate), pipeline, surroundings.cores, ranks);
      const auto is_same = [&](const PipelinePlan& other) {
        return other.schedule().processors == plan->schedule().processors;
      };
      if (plan && plans.size() < most_candidates && std::ranges::none_of(plans, is_same))
        plans.push_back(*std::move(plan));
    }
  };
  keep(candidate_plans(pipeline, costs, surroundings));
  try {
    keep(candidate_plans(pipeline,
                         costs_in_places(ranks, pipeline, surroundings.machine.processor_count(), costs),
                         surroundings));
  } catch (const ConfigError&) {
    // The named scheduler needs equal processors.
    if (plans.empty()) throw;
  }
  if (plans.empty())
    throw ConfigError(
        first_place(pipeline).where,
        "'place': no plan was found that has every task in its place: expected fewer places, or "
        "another 'scheduler'");
  return plans;
}

std::optional<PipelinePlan> low_load_in_places(const Pipeline& pipeline, const std::vector<StageCost>& costs,
                                               const Surroundings& surroundings, const RanksByStage& ranks) {
  std::optional<PipelinePlan> plan = plan_for_low_load(pipeline, costs, surroundings);
  if (!plan || !has_places(ranks)) return plan;
  return in_places(*std::move(plan), pipeline, surroundings.cores, ranks);
}

PipelinePlan plan_in_places(const Pipeline& pipeline, const std::vector<StageCost>& costs,
                            const Surroundings& surroundings, const RanksByStage& ranks) {
  if (std::optional<PipelinePlan> plan = low_load_in_places(pipeline, costs, surroundings, ranks))
    return *std::move(plan);
  return choose_by_costs(pipeline, candidates_in_places(pipeline, costs, surroundings, ranks));
}

}  // namespace takt::pipeline
