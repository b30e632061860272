#include "pipeline/sustain/plan_trials.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "pipeline/planning/doubted_links.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::pipeline {

namespace {

constexpr double noise = 0.05;

bool is_of_one_rank(const PipelinePlan& plan) {
  return plan.plan.evaluation.figures.processors_used < 2;
}

}  // namespace

double PlanTrial::median_hz() const {
  if (sustained_hz.empty()) return 0;
  std::vector<double> sorted = sustained_hz;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  return *middle;
}

std::vector<PipelinePlan> plans_to_try(const Pipeline& pipeline, PipelinePlan first,
                                       const std::vector<StageCost>& costs, std::size_t cores) {
  constexpr std::size_t most = 4;
  constexpr double worth_trying = 0.5;
  std::vector<PipelinePlan> others;
  const bool has_groups =
      std::ranges::any_of(costs, [](const StageCost& cost) { return !cost.groups.empty(); });
  for (const schedulers::Scheduler& scheduler : schedulers::all_schedulers()) {
    const bool suits = scheduler.family == "frequency" || scheduler.name == "single" ||
                       (scheduler.name == "mixed_fo" && has_groups);
    if (!suits) continue;
    Pipeline other = pipeline;
    other.leaves_goal_open = false;
    other.goal.objective = schedulers::Objective::frequency;
    other.goal.scheduler = scheduler.name;
    other.goal.rate.reset();
    try {
      others.push_back(plan_pipeline(other, costs, {first.machine, cores}));
    } catch (const ConfigError&) {
      // It cannot serve this machine.
    }
  }
  const auto hertz = [](const PipelinePlan& plan) { return plan.summary.predicted_hz; };
  std::ranges::stable_sort(others, std::greater{}, hertz);
  const double fastest = std::max(hertz(first), others.empty() ? 0 : hertz(others.front()));
  std::vector<PipelinePlan> plans{std::move(first)};
  for (PipelinePlan& other : others) {
    const bool is_known = std::ranges::any_of(plans, [&](const PipelinePlan& plan) {
      return plan.schedule().processors == other.schedule().processors;
    });
    if (!is_known && hertz(other) >= worth_trying * fastest && plans.size() < most)
      plans.push_back(std::move(other));
  }
  if (pipeline.deployment.machine.empty() && std::ranges::all_of(plans, is_of_one_rank)) {
    // Measured in a bad moment, links keep any second rank out.
    Pipeline open = pipeline;
    open.goal = {.objective = schedulers::Objective::frequency};
    const logp::Machine quicker = with_quicker_links(plans.front().machine);
    if (PipelinePlan several = plan_pipeline(open, costs, {quicker, cores}); !is_of_one_rank(several))
      plans.push_back(std::move(several));
  }
  return plans;
}

std::size_t choose_plan(const std::vector<PlanTrial>& tried, std::optional<double> enough_hz) {
  if (enough_hz) {
    const auto enough =
        std::ranges::find_if(tried, [&](const PlanTrial& each) { return each.median_hz() >= *enough_hz; });
    if (enough != tried.end()) return static_cast<std::size_t>(enough - tried.begin());
  }
  const auto fastest = std::ranges::max_element(tried, {}, &PlanTrial::median_hz);
  if (fastest->median_hz() <= tried.front().median_hz() * (1 + noise)) return 0;
  return static_cast<std::size_t>(fastest - tried.begin());
}

void check_plans_can_be_tried(const Pipeline& pipeline) {
  check_rates_can_be_chosen(pipeline);
  if (can_saturate(pipeline)) return;
  const Stage& source = pipeline.stages[pipeline.sources().front()];
  throw ConfigError(
      source.where,
      pipeline.joins_sources()
          ? "plans cannot be tried: joined sources give frames at a rate of their own"
          : fmt::format("plans cannot be tried: source '{}' gives frames at a rate of its own", source.name));
}

PlanTrials try_plans(const Pipeline& pipeline, const std::vector<std::string>& run,
                     std::vector<PipelinePlan> plans, const TrialOptions& options, std::size_t rounds) {
  PlanTrials trials;
  for (PipelinePlan& plan : plans) trials.tried.push_back({std::move(plan), {}});
  if (trials.tried.size() < 2) return trials;
  for (std::size_t round = 0; round < rounds; ++round)
    for (PlanTrial& trial : trials.tried) {
      const TrialBed bed(pipeline, run, trial.plan, options);
      const RateTrial made = bed.run(0);
      if (made.was_interrupted) throw WorkError("the trials of plans were interrupted");
      trial.sustained_hz.push_back(made.sustained_hz.value_or(0));
    }
  std::optional<double> enough_hz;
  if (const auto rate = pipeline.required_rate()) enough_hz = pipeline.goal.margin * rate->hertz;
  trials.chosen = choose_plan(trials.tried, enough_hz);
  return trials;
}

std::string to_text(const PlanTrials& trials) {
  std::vector<const RunPlan*> plans;
  for (const PlanTrial& trial : trials.tried) plans.push_back(&trial.plan.summary);
  const std::vector<std::string> names = names_of(plans);
  if (plans.size() < 2) return "no other plan is worth trying beside " + names.front();
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < plans.size(); ++i)
    texts.push_back(fmt::format("{}: {} ({} predicted)", names[i],
                                takt::to_string(Frequency{trials.tried[i].median_hz()}),
                                takt::to_string(Frequency{plans[i]->predicted_hz})));
  return fmt::format("tried {}; takes {}", fmt::join(texts, "; "), names[trials.chosen]);
}

}  // namespace takt::pipeline
