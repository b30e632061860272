#include "schedulers/frequency/on_links.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/graphs/task_groups.hpp"
#include "logp/execution.hpp"
#include "logp/period.hpp"
#include "logp/timing.hpp"
#include "schedulers/bounds/link_bound.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/frequency/exact_fo.hpp"
#include "schedulers/frequency/optfo.hpp"
#include "schedulers/frequency/single.hpp"
#include "schedulers/pipelining/pipelined_search.hpp"

namespace takt::schedulers {

namespace {

/// Largest number of tasks for which parts of the machine are tried.
constexpr std::size_t many_tasks = 1'000;
/// Largest number of first processors that are tried (2, 3, ...).
constexpr std::size_t most_parts = 8;
/// Largest number of tasks for which other schedulers' placements are tried before pipelined schedules. They
/// take seconds in all, and on 15 graphs of 100 to 135 tasks (switch, mesh, ring) none led to a shorter
/// period.
constexpr std::size_t most_placed_tasks = 40;
/// Shares of the effort for pipelined schedules, at first and at the end.
constexpr std::uint64_t brief_share = 16, whole_share = 2;

/// Suppresses reports of intermediate schedules, which have no links yet. Links have their own place in a
/// pipelined timetable, which comes last.
Options before_links(Options options) {
  options.listener = nullptr;
  options.frames = std::min(options.frames, FrameClass::interleaved);
  return options;
}

/// Removes a bound that holds for a class of schedules only.
void forget_class_bounds(Schedule& schedule) {
  if (schedule.period_bound_among.empty()) return;
  schedule.period_bound.reset();
  schedule.period_bound_among.clear();
  schedule.optimal = false;
}

/// Copies all operations, with one message per message and instance.
void copy_operations(const Schedule& schedule, Schedule& copy) {
  std::map<std::pair<std::uint32_t, MessageId>, MessageId> copy_of;
  for (std::size_t p = 0; p < schedule.processors.size(); ++p)
    for (const Operation& operation : schedule.processors[p]) {
      Operation copied = operation;
      if (operation.kind != OperationKind::compute) {
        const auto [found, is_new] = copy_of.try_emplace({operation.instance, operation.message()});
        if (is_new) {
          const Message& message = schedule.message(operation.message());
          found->second =
              copy.add_message(message.from, message.to, message.size, schedule.payload(operation.message()));
        }
        copied.subject = static_cast<std::uint32_t>(found->second.index());
      }
      copy.processors[p].push_back(copied);
    }
}

}  // namespace

Schedule on_links(const TaskGraph& graph, const logp::Machine& machine, Schedule schedule) {
  if (machine.platform().network.empty() || schedule.messages.empty()) return schedule;
  Schedule routed(schedule.scheduler, schedule.processors.size());
  routed.replicas = schedule.replicas;
  copy_operations(schedule, routed);
  logp::add_routes(machine.platform(), routed);
  logp::execute(graph, machine, logp::Start::late, routed);
  routed = logp::with_least_repetition(machine, routed);
  routed.period_bound = schedule.period_bound;
  routed.period_bound_among = schedule.period_bound_among;
  if (measure(routed).repetition <= measure(schedule).repetition) {
    routed.optimal = schedule.optimal;
    routed.optimal_among = schedule.optimal_among;
  }
  return routed;
}

Schedule no_slower_than_one(const TaskGraph& graph, const logp::Machine& machine, Schedule schedule,
                            const Options& options) {
  if (machine.platform().network.empty() || options.mapping == NetworkMapping::none) return schedule;
  Schedule alone = single(graph, machine, {});
  if (measure(schedule).exact_period() <= measure(alone).exact_period()) return schedule;
  alone.scheduler = schedule.scheduler;
  if (schedule.period_bound) raise_period_bound(alone, *schedule.period_bound, schedule.period_bound_among);
  alone.makespan_bound = schedule.makespan_bound;
  return alone;
}

Schedule optfo_on_links(const TaskGraph& graph, const logp::Machine& machine, const Options& options,
                        const FrequencyStarts& starts) {
  if (machine.platform().network.empty()) return optfo(graph, machine, options, starts, exact_fo);
  const auto key = [](const Schedule& each) {
    const ScheduleMetrics metrics = measure(each);
    return std::tuple(metrics.exact_period(), metrics.processors_used, metrics.makespan);
  };
  const Options unheard = before_links(options);
  // The quick schedulers first, for listeners with little time.
  std::optional<Schedule> quick;
  const auto begin_with = [&](Schedule schedule) {
    // Data between groups are redistributed, not sent over links.
    if (runs_in_groups(graph, schedule)) return;
    if (!quick || key(schedule) < key(*quick)) options.tell(quick.emplace(std::move(schedule)));
  };
  for (const SchedulerFunction scheduler : starts.on_links) begin_with(scheduler(graph, machine, unheard));
  const bool is_pipelined = options.frames == FrameClass::pipelined && !graph.is_moldable();
  const Period of_links = link_bound(graph, machine);
  const Period least = std::max(of_links, PeriodBounds(graph, machine).best().period);
  const auto pipelined = [&](const Schedule& start, std::uint64_t effort_share) {
    std::uint64_t budget = options.effort.value_or(optfo_effort) / effort_share;
    return search_pipelined(graph, machine, start, least, budget, options.seed);
  };
  if (is_pipelined && graph.task_count() > most_placed_tasks) {
    // Loads of processors and links are all that counts.
    if (std::optional<Schedule> schedule = pipelined(*quick, brief_share)) begin_with(*std::move(schedule));
  } else {
    const Options for_others = options_of_others(options);
    for (const OtherScheduler& other : starts.others)
      if (other.is_for(graph))
        begin_with(logp::with_least_repetition(machine, other.schedule(graph, machine, for_others)));
  }
  Schedule best = on_links(graph, machine, optfo(graph, machine, unheard, starts, exact_fo));
  if (options.frames == FrameClass::pipelined) forget_class_bounds(best);
  options.tell(best);
  if (best.optimal) return best;
  const std::optional<Period> bound = best.period_bound;
  const std::string bound_among = best.period_bound_among;
  const auto add = [&](const Schedule& schedule) {
    if (key(schedule) < key(best)) options.tell(best = schedule);
  };
  if (quick) add(*quick);
  if (is_brief(graph, options))
    add(on_links(graph, machine, exact_fo(graph, machine, options_of_others(unheard), starts)));
  if (is_pipelined)
    if (const std::optional<Schedule> schedule = pipelined(best, whole_share)) add(*schedule);
  if (options.frames != FrameClass::pipelined && graph.task_count() <= many_tasks) {
    // Fewer processors exchange fewer messages.
    const std::size_t most = std::min(machine.processor_count() - 1, most_parts);
    Options for_part = unheard;
    for_part.effort = options.effort.value_or(optfo_effort) / (most + 1);
    std::vector<ProcessorId> part{ProcessorId(0)};
    while (part.size() < most) {
      part.push_back(ProcessorId(part.size()));
      const logp::Machine fewer = machine.subset(part);
      Schedule schedule = on_links(graph, fewer, optfo(graph, fewer, for_part, starts, exact_fo));
      schedule.processors.resize(machine.processor_count());
      add(schedule);
    }
  }
  best.scheduler = "optfo";
  best.optimal = false;
  best.optimal_among.clear();
  best.makespan_bound.reset();
  best.period_bound.reset();
  raise_period_bound(best, of_links);
  if (bound) raise_period_bound(best, *bound, bound_among);
  add_period_bound(graph, machine, best);
  return best;
}

Schedule exact_fo_on_links(const TaskGraph& graph, const logp::Machine& machine, const Options& options,
                           const FrequencyStarts& starts) {
  if (machine.platform().network.empty()) return exact_fo(graph, machine, options, starts);
  Schedule schedule = on_links(graph, machine, exact_fo(graph, machine, before_links(options), starts));
  if (options.frames == FrameClass::pipelined) forget_class_bounds(schedule);
  options.tell(schedule);
  if (options.mapping == NetworkMapping::none || schedule.optimal) return schedule;
  Schedule found = optfo_on_links(graph, machine, options, starts);
  if (measure(found).exact_period() < measure(schedule).exact_period()) {
    found.scheduler = schedule.scheduler;
    std::swap(found, schedule);
  }
  if (found.period_bound) raise_period_bound(schedule, *found.period_bound, found.period_bound_among);
  add_period_bound(graph, machine, schedule);
  return schedule;
}

}  // namespace takt::schedulers
