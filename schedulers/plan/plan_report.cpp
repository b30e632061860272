#include "schedulers/plan/plan_report.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/pictures/text_fill.hpp"
#include "schedulers/judge/evaluation_report.hpp"
#include "schedulers/judge/trace_report.hpp"
#include "schedulers/mapping/interaction_graph.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {

namespace {

/// The time of all messages of an iteration on a link.
struct BusyLink {
  LinkId link;
  Time busy{0};
};

/// Returns the link with the most traffic, of equals the first one; nothing without routes.
std::optional<BusyLink> busiest_link(const Schedule& schedule) {
  std::map<LinkId, Time> busy;
  for (const Hop& hop : schedule.hops) busy[hop.link] += hop.end - hop.start;
  std::optional<BusyLink> most;
  for (const auto& [link, time] : busy)
    if (!most || time > most->busy) most = {link, time};
  return most;
}

/// Details that only some schedulers' schedules have.
struct Details {
  std::optional<MappingCost> mapping;
  std::optional<BusyLink> busiest_link;
  std::optional<Time> own_makespan;
  std::optional<Period> own_period;
  std::optional<Narration> narration;
};

/// The largest graph, in tasks, whose scheduler is run a second time.
constexpr std::size_t most_asked_again = 10'000;

/// Adds the makespan of the scheduler's schedule, or its period if that is its objective, with its own
/// processors and routes, if the mapping onto the network has improved it.
void add_own_figure(const Scheduler& scheduler, const Schedule& schedule, const TaskGraph& graph,
                    const logp::Machine& machine, const Options& options, Details& details) {
  if (graph.is_undirected() || machine.platform().network.empty() ||
      options.mapping != NetworkMapping::best || graph.task_count() > most_asked_again ||
      scheduler.traits.is_default || scheduler.traits.proves)
    return;
  Options unmapped = options;
  unmapped.mapping = NetworkMapping::none;
  unmapped.trace = nullptr;
  const ScheduleMetrics own = measure(scheduler.schedule(graph, machine, unmapped)),
                        mapped = measure(schedule);
  if (scheduler.traits.made_for == Objective::makespan && mapped.makespan < own.makespan)
    details.own_makespan = own.makespan;
  if (scheduler.traits.made_for == Objective::frequency && mapped.exact_period() < own.exact_period())
    details.own_period = own.exact_period();
}

Details details_of(const Plan& plan, const TaskGraph& graph, const logp::Machine& machine, const Goal& goal) {
  Details details;
  // For a rate, schedules come from searches outside the registry.
  if (needs_rate(goal.objective)) return details;
  const Schedule& schedule = plan.evaluation.schedule;
  const Scheduler& scheduler = find_scheduler(schedule.scheduler);
  if (scheduler.family == mapping_family) {
    details.mapping = mapping_cost(graph, machine, schedule);
    details.busiest_link = busiest_link(schedule);
  }
  add_own_figure(scheduler, schedule, graph, machine, goal.options, details);
  if (goal.options.trace != nullptr)
    details.narration.emplace(scheduler, graph, *goal.options.trace, schedule);
  return details;
}

/// Returns `cores: 2 of 4 big, 7 of 16 little`; nothing on a machine without types of cores.
std::string cores_by_type(const Schedule& schedule, const Platform& platform) {
  std::vector<std::string> parts;
  for (std::uint32_t type = 0; type < platform.core_types.size(); ++type) {
    std::size_t used = 0, all = 0;
    for (std::size_t p = 0; p < platform.type_of.size(); ++p) {
      if (platform.type_of[p] != type) continue;
      ++all;
      used += p < schedule.processors.size() && !schedule.processors[p].empty() ? 1 : 0;
    }
    parts.push_back(fmt::format("{} of {} {}", used, all, platform.core_types[type]));
  }
  return parts.empty() ? "" : fmt::format("cores: {}\n", fmt::join(parts, ", "));
}

/// Fills lines of 80 characters, with hanging indents for lists.
std::string filled(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    result.append(indent, ' ') += fill(line.substr(indent), text_columns - indent - 4, indent + 4) + '\n';
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return result;
}

}  // namespace

std::string plan_to_text(const Plan& plan, const TaskGraph& graph, const logp::Machine& machine,
                         const Goal& goal) {
  const Details details = details_of(plan, graph, machine, goal);
  std::string text;
  if (goal.objective == Objective::processors)
    text = plan.fewest_is_proven ? "no fewer processors can hold this frequency\n"
                                 : "unknown whether fewer processors can hold this frequency\n";
  if (plan.choice) text += filled(to_text(*plan.choice)) + '\n';
  if (details.narration) text += trace_to_text(*details.narration) + '\n';
  if (details.mapping)
    text += fill(fmt::format("mapping: largest load of a processor {}, all loads {} (work and exchanges)\n",
                             details.mapping->largest.count(), details.mapping->total.count()),
                 text_columns);
  if (details.busiest_link) {
    const Link& link = machine.platform().network.link(details.busiest_link->link);
    text += fmt::format("mapping: busiest link {} -> {}, {} per iteration\n", link.from.index(),
                        link.to.index(), details.busiest_link->busy.count());
  }
  if (details.own_makespan)
    text += fill(fmt::format("mapping: {}; the schedule of {} without mapping takes {} (--mapping none)\n",
                             plan.evaluation.figures.processors_used == 1 ? "everything on one processor"
                                                                          : "new placement on the network",
                             plan.evaluation.schedule.scheduler, details.own_makespan->count()),
                 text_columns);
  if (details.own_period)
    text += fill(fmt::format("mapping: everything on one processor; the schedule of {} without mapping "
                             "repeats every {} (--mapping none)\n",
                             plan.evaluation.schedule.scheduler, to_decimal(*details.own_period)),
                 text_columns);
  return text + cores_by_type(plan.evaluation.schedule, machine.platform()) + to_text(plan.evaluation, graph);
}

void write_plan_json(std::ostream& out, const Plan& plan, const TaskGraph& graph,
                     const logp::Machine& machine, const Goal& goal) {
  const Details details = details_of(plan, graph, machine, goal);
  nlohmann::ordered_json json = evaluation_json_without_lists(plan.evaluation);
  if (needs_rate(goal.objective)) {
    json["held"] = plan.holds_rate;
    json["fewest_is_proven"] = plan.fewest_is_proven;
  }
  if (plan.choice) json["auto"] = choice_json(*plan.choice);
  if (details.mapping)
    json["mapping"] = {{"largest_load", details.mapping->largest.count()},
                       {"total_load", details.mapping->total.count()}};
  if (details.busiest_link)
    json["busiest_link"] = {{"link", details.busiest_link->link.index()},
                            {"busy", details.busiest_link->busy.count()}};
  if (details.own_makespan) json["own_makespan"] = details.own_makespan->count();
  if (details.own_period) json["own_period"] = details.own_period->ticks();
  if (details.narration) json["trace"] = trace_json(*details.narration);
  write_with_lists(out, json, plan.evaluation, graph);
}

}  // namespace takt::schedulers
