#include "schedulers/plan/auto_choice.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "schedulers/judge/figure_columns.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {

namespace {

Objective other_of(Objective objective) {
  return objective == Objective::makespan ? Objective::frequency : Objective::makespan;
}

/// Whether a row precedes another one in the ranking.
bool ranks_before(const ComparisonRow& a, const ComparisonRow& b, Objective objective) {
  if (a.is_valid() != b.is_valid()) return a.is_valid();
  if (!a.is_valid()) return false;
  for (const Objective each : {objective, other_of(objective)}) {
    if (is_better(*a.figures, *b.figures, each)) return true;
    if (is_better(*b.figures, *a.figures, each)) return false;
  }
  return a.figures->processors_used < b.figures->processors_used;
}

std::string cost_text(const Figures& figures, Objective objective) {
  return objective == Objective::makespan ? fmt::format("{}", figures.frame_length().count())
                                          : to_decimal(figures.exact_period());
}

std::string_view cost_name(Objective objective) {
  return objective == Objective::makespan ? "makespan" : "period";
}

/// Text of the best schedule's distance from the bound.
std::string bound_text(const Figures& best, Objective objective) {
  const double ratio = objective == Objective::makespan ? best.makespan_ratio() : best.ratio();
  const std::string bound = objective == Objective::makespan ? fmt::format("{}", best.makespan_bound.count())
                                                             : to_decimal(best.bound);
  if (ratio <= 1 && objective == Objective::frequency && !best.bound_among.empty())
    return fmt::format("the lower bound of {}: optimal", best.bound_among);
  if (ratio <= 1) return "the lower bound: optimal";
  return fmt::format("{:.3g} % above the lower bound {}", 100 * (ratio - 1), bound);
}

/// Reason why the best precedes another one with an equal objective.
std::string tie_text(const Figures& best, const Figures& other, Objective objective) {
  const Objective second = other_of(objective);
  if (is_better(best, other, second)) return fmt::format("their {} is larger", cost_name(second));
  if (best.processors_used < other.processors_used) return "they take more processors";
  return "they stand later in the list";
}

}  // namespace

Schedule within_time(const Scheduler& scheduler, const TaskGraph& graph, const logp::Machine& machine,
                     const Options& options, std::chrono::duration<double> limit) {
  ComparisonInput input;
  input.graphs.emplace_back("", graph);
  input.machines.emplace_back("", machine);
  input.options = options;
  input.options.trace = nullptr;
  input.time_limit = limit;
  input.schedulers.push_back(&scheduler);
  const ComparisonRow row = compare(input, 1).front();
  if (row.schedule) return *row.schedule;
  if (!row.is_valid()) throw ConfigError(fmt::format("{}: {}", row.scheduler, row.error));
  return scheduler.schedule(graph, machine, options);
}

AutoChoice choose_scheduler(const TaskGraph& graph, const logp::Machine& machine, const Goal& goal,
                            std::size_t threads,
                            const std::function<void(const ComparisonProgress&)>& report) {
  AutoChoice choice;
  choice.objective = goal.objective;
  ComparisonInput input;
  input.graphs.emplace_back("", graph);
  input.machines.emplace_back("", machine);
  input.options = goal.options;
  input.options.trace = nullptr;
  input.time_limit = goal.time_limit;
  for (const Scheduler& scheduler : all_schedulers()) {
    if (scheduler.traits.proves.value_or(goal.objective) != goal.objective)
      choice.proving_else.emplace_back(scheduler.name);
    else if (graph.task_count() > scheduler.traits.auto_limit)
      choice.left_out.emplace_back(scheduler.name);
    else
      input.schedulers.push_back(&scheduler);
  }
  choice.ranking = compare(input, threads, report);
  std::stable_sort(
      choice.ranking.begin(), choice.ranking.end(),
      [&](const ComparisonRow& a, const ComparisonRow& b) { return ranks_before(a, b, goal.objective); });
  const ComparisonRow& best = choice.ranking.front();
  if (!best.is_valid())
    throw ConfigError(
        fmt::format("no scheduler supports this graph and machine; {}: {}", best.scheduler, best.error));
  choice.scheduler = &find_scheduler(best.scheduler);
  return choice;
}

std::string to_text(const AutoChoice& choice) {
  const Objective objective = choice.objective;
  const Figures& best = *choice.ranking.front().figures;
  std::string text =
      fmt::format("auto chose {} for the {}: {} {}, {}\n", best.scheduler,
                  objective == Objective::makespan ? "shortest makespan" : "highest frequency",
                  cost_name(objective), cost_text(best, objective), bound_text(best, objective));
  std::vector<std::string> next, failed, stopped;
  std::map<std::string, std::vector<std::string>> equals;
  constexpr std::size_t shown = 5;
  for (const ComparisonRow& row : choice.ranking) {
    if (row.was_stopped)
      stopped.push_back(row.scheduler + (row.is_valid() ? " (with its best schedule so far)" : ""));
    if (!row.is_valid()) {
      if (!row.was_stopped) failed.push_back(row.scheduler);
    } else if (&row == &choice.ranking.front()) {
      continue;
    } else if (!is_better(best, *row.figures, objective)) {
      equals[tie_text(best, *row.figures, objective)].push_back(row.scheduler);
    } else if (next.size() < shown) {
      next.push_back(fmt::format("{} {} (+{:.3g} %)", row.scheduler, cost_text(*row.figures, objective),
                                 100 * (cost(*row.figures, objective) / cost(best, objective) - 1)));
    }
  }
  for (const auto& [why_not, names] : equals)
    text += fmt::format("  as good, but {}: {}\n", why_not, fmt::join(names, " "));
  if (!next.empty()) text += fmt::format("  next: {}\n", fmt::join(next, ", "));
  if (!failed.empty())
    text += fmt::format("  not supported for this graph and machine: {}\n", fmt::join(failed, " "));
  if (!stopped.empty()) text += fmt::format("  stopped at the time limit: {}\n", fmt::join(stopped, ", "));
  if (!choice.left_out.empty())
    text += fmt::format("  not tried, graph too large: {}\n", fmt::join(choice.left_out, " "));
  if (!choice.proving_else.empty())
    text += fmt::format("  not tried, they search for a proof of another objective: {}\n",
                        fmt::join(choice.proving_else, " "));
  return text;
}

nlohmann::ordered_json choice_json(const AutoChoice& choice) {
  nlohmann::ordered_json json;
  json["objective"] = name_of(choice.objective);
  json["reason"] = to_text(choice);
  auto& ranking = json["ranking"] = nlohmann::ordered_json::array();
  for (const ComparisonRow& row : choice.ranking) {
    nlohmann::ordered_json& object = ranking.emplace_back();
    if (row.figures)
      add_figures(object, *row.figures);
    else
      object = {{"scheduler", row.scheduler}, {"error", row.error}};
    if (row.was_stopped) object["stopped"] = true;
  }
  json["left_out"] = choice.left_out;
  json["proving_else"] = choice.proving_else;
  return json;
}

}  // namespace takt::schedulers
