#include "pipeline/frontend/execution/experiment.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/schedule.hpp"
#include "pipeline/frontend/communication/owner_computes.hpp"
#include "pipeline/frontend/communication/prediction.hpp"
#include "pipeline/frontend/execution/timed_run.hpp"
#include "schedulers/judge/rank_correlation.hpp"

namespace takt::frontend {

namespace {

/// Fills in the program and its predicted times.
void set_program(PlannedProgram& plan, const WeightedProgram& program, const logp::Machine& machine,
                 Assignment assignment) {
  plan.parallel = insert_communication(program.read.program, std::move(assignment));
  const ScheduleMetrics metrics =
      measure(predict_times(program.read.program, program.work, *plan.parallel, machine));
  plan.predicted = metrics.makespan;
  Time computing{0};
  for (const Occupancy& each : metrics.occupancy) computing += each.compute;
  plan.predicted_use = static_cast<double>(computing.count()) /
                       std::max(1.0, static_cast<double>(metrics.makespan.count()) *
                                         static_cast<double>(metrics.occupancy.size()));
}

/// What the ranks do, for comparison.
std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> steps_of(const ParallelProgram& parallel) {
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> steps;
  for (const std::vector<RankStep>& rank : parallel.ranks) {
    steps.emplace_back();
    for (const RankStep& step : rank)
      steps.back().emplace_back(static_cast<std::uint32_t>(step.kind), step.subject);
  }
  return steps;
}

/// Plans with equal steps: a program and its runs.
struct Group {
  std::vector<ExperimentRow*> rows;
  std::unique_ptr<TimedProgram> program;
  Execution execution;
};

void add_run(Execution& execution, const TimedRun& run, std::size_t ranks, std::size_t runs) {
  const double whole = std::max(1.0, static_cast<double>(run.makespan.count()) * static_cast<double>(ranks));
  execution.makespans.push_back(run.makespan);
  execution.use += static_cast<double>(run.computing.count()) / whole / static_cast<double>(runs);
  execution.communication +=
      static_cast<double>(run.communicating.count()) / whole / static_cast<double>(runs);
}

}  // namespace

double Execution::mean() const {
  double sum = 0;
  for (const Time time : makespans) sum += static_cast<double>(time.count());
  return sum / static_cast<double>(std::max<std::size_t>(1, makespans.size()));
}

double Execution::deviation() const {
  if (makespans.size() < 2) return 0;
  const double middle = mean();
  double sum = 0;
  for (const Time time : makespans) sum += std::pow(static_cast<double>(time.count()) - middle, 2);
  return std::sqrt(sum / static_cast<double>(makespans.size() - 1));
}

Time Execution::shortest() const {
  return makespans.empty() ? Time{0} : std::ranges::min(makespans);
}

double ExperimentRow::executed() const {
  return execution ? execution->mean() : static_cast<double>(plan.predicted.count());
}

double ExperimentRow::shortest() const {
  return static_cast<double>((execution ? execution->shortest() : plan.predicted).count());
}

Experiment::Order Experiment::order() const {
  std::vector<double> planned, executed, shortest;
  for (const ExperimentRow& row : rows) {
    if (!row.plan.parallel) continue;
    planned.push_back(static_cast<double>(row.plan.planned.count()));
    executed.push_back(row.executed());
    shortest.push_back(row.shortest());
  }
  constexpr double apart = 0.05;
  return {.tau = schedulers::kendall_tau(planned, executed),
          .tau_apart = schedulers::kendall_tau(planned, executed, apart),
          .tau_shortest = schedulers::kendall_tau(planned, shortest, apart),
          .pairs_apart = schedulers::pairs_apart(planned, apart)};
}

std::vector<PlannedProgram> planned_programs(const WeightedProgram& program, const logp::Machine& machine,
                                             const std::vector<schedulers::ComparisonRow>& schedules) {
  std::vector<PlannedProgram> plans;
  for (const schedulers::ComparisonRow& row : schedules) {
    PlannedProgram plan{.scheduler = row.scheduler, .family = row.family, .error = row.error};
    if (row.is_valid() && row.schedule) {
      plan.seconds = row.figures->seconds;
      plan.planned = row.figures->frame_length();
      set_program(plan, program, machine, assignment_of(program.read.program, *row.schedule));
    } else if (plan.error.empty()) {
      plan.error = "no valid schedule";
    }
    plans.push_back(std::move(plan));
  }
  for (const Distribution distribution :
       {Distribution::block, Distribution::cyclic, Distribution::block_cyclic}) {
    PlannedProgram plan{.scheduler = fmt::format("owner, {}", name_of(distribution)),
                        .family = "owner computes"};
    set_program(plan, program, machine,
                owner_computes(program.read.program, distribution, machine.processor_count()));
    plan.planned = plan.predicted;
    plans.push_back(std::move(plan));
  }
  return plans;
}

PlannedProgram sequential_plan(const WeightedProgram& program) {
  PlannedProgram plan{.scheduler = "one rank", .family = "sequential"};
  const std::size_t calls = program.read.program.calls.size();
  set_program(plan, program, logp::Machine::delay(1),
              assignment_on(program.read.program, std::vector<std::uint32_t>(calls, 0),
                            std::vector<Time>(calls, Time{0}), 1));
  plan.planned = plan.predicted;
  return plan;
}

Experiment execute_plans(const std::string& name, const WeightedProgram& program,
                         std::vector<PlannedProgram> plans, std::size_t ranks, std::size_t runs,
                         const std::function<void(std::size_t, std::size_t)>& report) {
  Experiment experiment{.program = name,
                        .calls = program.read.program.calls.size(),
                        .ranks = ranks,
                        .runs = runs,
                        .sequential = {.plan = sequential_plan(program)}};
  for (PlannedProgram& plan : plans) experiment.rows.push_back({.plan = std::move(plan)});
  if (runs == 0) return experiment;

  std::map<std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>>, Group> groups;
  groups[steps_of(*experiment.sequential.plan.parallel)].rows.push_back(&experiment.sequential);
  for (ExperimentRow& row : experiment.rows)
    if (row.plan.parallel) groups[steps_of(*row.plan.parallel)].rows.push_back(&row);
  const std::size_t all = groups.size() * (runs + 1);
  std::size_t done = 0;
  const auto finish = [&] {
    if (report) report(++done, all);
  };
  const std::string expected = sequential_output(program.read);
  for (auto& [steps, group] : groups) {
    group.program = std::make_unique<TimedProgram>(program.read, *group.rows.front()->plan.parallel);
    finish();
  }
  for (std::size_t run = 0; run < runs; ++run)
    for (auto& [steps, group] : groups) {
      const PlannedProgram& plan = group.rows.front()->plan;
      const TimedRun timed = group.program->run();
      if (timed.output != expected)
        throw WorkError(
            fmt::format("{} by {} prints other than the sequential program", name, plan.scheduler));
      add_run(group.execution, timed, plan.parallel->ranks.size(), runs);
      finish();
    }
  for (auto& [steps, group] : groups)
    for (ExperimentRow* row : group.rows) row->execution = group.execution;
  return experiment;
}

}  // namespace takt::frontend
