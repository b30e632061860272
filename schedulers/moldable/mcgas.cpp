#include "schedulers/moldable/mcgas.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::schedulers {

namespace {

/// Largest factor by which a task becomes slower because it must use the next allowed number below its ideal
/// one.
double loss_by_numbers(const TaskGraph& graph, const AllowedNumbers& allowed) {
  double loss = 1;
  const auto numbers = allowed.all();
  for (TaskId id : graph.tasks()) {
    const Task& task = graph.task(id);
    for (std::size_t i = 0; i + 1 < numbers.size(); ++i)
      loss = std::max(loss, task.time_on(numbers[i]) / std::max(task.time_on(numbers[i + 1] - 1), 1e-300));
  }
  return loss;
}

}  // namespace

std::vector<MuAndBound> mcgas_parameters(const Clusters& clusters, const MoldableOptions& options) {
  const std::vector<std::size_t> sizes = clusters.sizes();
  if (options.mu && !(*options.mu > 0 && *options.mu < 1))
    throw ConfigError(fmt::format("mu is {}: expected a number between 0 and 1, exclusive", *options.mu));
  if (options.mu && options.guarantee)
    throw ConfigError("mu and a guarantee exclude each other: the guarantee chooses mu");
  if (options.bound && (*options.bound == 0 || *options.bound > clusters.largest()))
    throw ConfigError(fmt::format("the bound is {}: expected 1 to {}, the processors of the largest cluster",
                                  *options.bound, clusters.largest()));
  MuAndBound best;
  if (options.bound)
    best = {best_mu(sizes, *options.bound), *options.bound};
  else
    best = best_guarantee(sizes);
  if (options.mu) return {{*options.mu, best.bound}};
  if (!options.guarantee) return {best};
  const auto smallest = smallest_mu(sizes, best.bound, *options.guarantee);
  const auto largest = largest_mu(sizes, best.bound, *options.guarantee);
  if (!smallest || !largest)
    throw ConfigError(fmt::format(
        "cannot guarantee {} for these clusters: expected at least {:.4g}{}", *options.guarantee,
        std::ceil(guarantee_ratio(sizes, best) * 1000) / 1000,
        options.bound ? fmt::format(" with a bound of {} processors per task", *options.bound) : ""));
  return {best, {*smallest, best.bound}, {*largest, best.bound}};
}

McgasPlan plan_mcgas(const TaskGraph& graph, const Clusters& clusters, const TradeOff& trade_off,
                     const AllowedNumbers& allowed, const MuAndBound& parameters, LeftWork left_work) {
  McgasPlan plan;
  plan.parameters = parameters;
  plan.allotment = round_trade_off(graph, allowed, trade_off, parameters.mu, TradeOffCost::activities);
  for (std::size_t& processors : plan.allotment)
    processors = allowed.round_down(std::min(processors, parameters.bound));
  const auto processors = static_cast<double>(clusters.processor_count());
  if (left_work == LeftWork::is_used)
    plan.allotment = allot_by_critical_path(graph, allowed,
                                            {.area_divisor = processors,
                                             .most = parameters.bound,
                                             .work_limit = processors * trade_off.bound / parameters.mu},
                                            plan.allotment);
  plan.for_speeds = clusters.fastest_processor() / clusters.slowest();
  if (allowed.all().size() < clusters.largest()) plan.for_numbers = loss_by_numbers(graph, allowed);
  plan.guarantee = guarantee_ratio(clusters.sizes(), parameters) * plan.for_speeds * plan.for_numbers;
  // With fewer allowed numbers the trade-off bounds only schedules with these.
  const double bound = trade_off.bound / clusters.fastest_processor() / plan.for_numbers;
  plan.bound = Time(std::llround(std::ceil(bound * (1 - 1e-9))));
  return plan;
}

std::vector<McgasPlan> plan_mcgas(const TaskGraph& graph, const Clusters& clusters,
                                  const MoldableOptions& options) {
  const std::vector<MuAndBound> parameters = mcgas_parameters(clusters, options);
  const AllowedNumbers allowed(clusters.largest(), options.allocations);
  const TradeOff trade_off =
      best_trade_off(graph, allowed, clusters.processor_count(), TradeOffCost::activities);
  std::vector<McgasPlan> plans;
  for (const MuAndBound& each : parameters)
    plans.push_back(plan_mcgas(graph, clusters, trade_off, allowed, each, options.left_work));
  return plans;
}

}  // namespace takt::schedulers
