#include "tests/schedulers/heterogeneous/contention_study.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/graphs/generators.hpp"
#include "core/schedule.hpp"
#include "logp/timing.hpp"
#include "schedulers/bounds/least_times.hpp"
#include "schedulers/heterogeneous/ca_list.hpp"
#include "schedulers/heterogeneous/ca_search.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {

namespace {

/// Returns the makespan of a plan's processors and order on a machine.
Time carried_out(const TaskGraph& graph, const logp::Machine& machine, const Schedule& plan) {
  logp::Allocation allocation{std::vector<std::vector<TaskId>>(machine.processor_count())};
  for (std::size_t p = 0; p < plan.processors.size(); ++p)
    for (const Operation& operation : plan.processors[p])
      if (operation.kind == OperationKind::compute) allocation.order[p].push_back(operation.task());
  return measure(logp::time_task_messages(graph, machine, allocation, {.aggregate = false, .routed = true}))
      .makespan;
}

double ticks(Time time) {
  return static_cast<double>(time.count());
}

constexpr int paper_degrees[] = {1, 2, 5, 10};

}  // namespace

std::size_t contention_graphs(std::size_t sizes, std::size_t seeds) {
  return std::size(paper_ratios) * sizes * std::size(paper_degrees) * seeds;
}

std::string contention_line(std::string_view scheduler, std::string_view machine, NetworkMapping mapping) {
  const logp::Machine contention = logp::parse_machine(fmt::format("contention:{}", machine));
  std::string line = fmt::format("| {} |", scheduler);
  for (double ccr : paper_ratios) {
    const TaskGraph graph =
        generate(fmt::format("layered:tasks=200,degree=2,cost=1..100,ccr={},seed=1", ccr / 2));
    line += fmt::format(" {} |",
                        measure(find_scheduler(scheduler).schedule(graph, contention, {.mapping = mapping}))
                            .makespan.count());
  }
  return line;
}

std::vector<ContentionRow> contention_study(std::span<const std::size_t> sizes, std::size_t seeds,
                                            std::string_view machine, bool with_search,
                                            const std::function<void(std::size_t)>& begins) {
  const logp::Machine delay = logp::parse_machine(fmt::format("delay:{}", machine)),
                      contention = logp::parse_machine(fmt::format("contention:{}", machine)),
                      real = logp::parse_machine(fmt::format("contention:{},channel=both", machine));
  std::vector<ContentionRow> rows;
  for (double ccr : paper_ratios) {
    ContentionRow row{.ccr = ccr};
    double graphs = 0;
    for (std::size_t size : sizes)
      for (int degree : paper_degrees)
        for (std::size_t seed = 1; seed <= seeds; ++seed) {
          if (begins) begins(size);
          const TaskGraph graph = generate(fmt::format(
              "layered:tasks={},degree={},cost=1..100,ccr={},seed={}", size, degree, ccr / degree, seed));
          const Time alone = fastest_sequential_run(graph, real).time;
          const auto efficiency = [&](Time makespan) {
            return 100 * ticks(alone) / ticks(makespan) / static_cast<double>(real.processor_count());
          };
          const auto error = [](Time planned, Time happened) {
            return 100 * std::abs(ticks(happened) - ticks(planned)) / ticks(happened);
          };
          const Schedule classic = ca_list(graph, delay, {}), aware = ca_list(graph, contention, {});
          const Time classic_time = carried_out(graph, real, classic),
                     aware_time = carried_out(graph, real, aware);
          row.classic_error += error(measure(classic).makespan, classic_time);
          row.aware_error += error(measure(aware).makespan, aware_time);
          row.classic_efficiency += efficiency(classic_time);
          row.aware_efficiency += efficiency(aware_time);
          if (with_search)
            row.search_efficiency += efficiency(carried_out(graph, real, ca_search(graph, contention, {})));
          ++graphs;
        }
    for (double* sum : {&row.classic_error, &row.aware_error, &row.classic_efficiency, &row.aware_efficiency,
                        &row.search_efficiency})
      *sum /= graphs;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace takt::schedulers
