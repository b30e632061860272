#include "pipeline/frontend/generation/parallelise.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "pipeline/frontend/communication/prediction.hpp"
#include "pipeline/frontend/generation/advice.hpp"
#include "schedulers/plan/plan.hpp"

namespace takt::frontend {

namespace {

/// Messages between processes of one computer: half a microsecond at either end and in between, 5 GB/s.
std::string usual_machine(std::size_t ranks) {
  return fmt::format("loglinear:P={},L=500+0.1,o=500+0.1", ranks);
}

ParallelPlan plan_for(const WeightedProgram& program, const logp::Machine& machine,
                      const ParallelOptions& options, schedulers::Objective objective) {
  schedulers::Goal goal{.objective = objective, .scheduler = options.scheduler};
  goal.time_limit.emplace(options.time_limit);
  schedulers::check(goal);
  const schedulers::Plan plan = schedulers::make_plan(program.graph, machine, goal);
  const Program& read = program.read.program;

  ParallelPlan result{.scheduler = plan.evaluation.schedule.scheduler};
  Assignment assignment = assignment_of(read, plan.evaluation.schedule);
  for (const Time work : program.work) result.sequential += work;
  result.parallel = insert_communication(read, std::move(assignment), options.insertion);
  const ScheduleMetrics predicted = measure(predict_times(read, program.work, result.parallel, machine));
  result.predicted = predicted.makespan;
  if (options.repeats) result.period = predicted.repetition;
  for (const Transfer& transfer : result.parallel.transfers)
    for (const FlowId flow : transfer.flows) result.bytes += read.flows[flow.index()].size();
  return result;
}

}  // namespace

logp::Machine machine_for(const std::string& text, std::size_t ranks) {
  if (text.empty()) return logp::parse_machine(usual_machine(ranks));
  const logp::Machine machine = logp::parse_machine(text);
  if (machine.processor_count() == ranks) return machine;
  if (machine.processor_count() < ranks)
    throw ConfigError(fmt::format("--machine {}: has {} processors, fewer than {} ranks", text,
                                  machine.processor_count(), ranks));
  std::vector<ProcessorId> first;
  for (const ProcessorId processor : ids<ProcessorId>(ranks)) first.push_back(processor);
  return machine.subset(first);
}

ParallelPlan plan_parallel(const WeightedProgram& program, const logp::Machine& machine,
                           const ParallelOptions& options) {
  if (!options.repeats) {
    ParallelPlan result = plan_for(program, machine, options, schedulers::Objective::makespan);
    result.advice = advice_of(program, machine, result.predicted);
    return result;
  }
  ParallelPlan best = plan_for(program, machine, options, schedulers::Objective::frequency);
  const auto improve = [&](ParallelPlan&& other) {
    if (other.period < best.period) best = std::move(other);
  };
  improve(plan_for(program, machine, options, schedulers::Objective::makespan));
  if (options.scheduler == schedulers::automatic) {
    ParallelOptions single = options;
    single.scheduler = "single";
    improve(plan_for(program, machine, single, schedulers::Objective::makespan));
  }
  return best;
}

std::string plan_text(const WeightedProgram& program, const ParallelPlan& plan) {
  const double speed_up = static_cast<double>(plan.sequential.count()) /
                          static_cast<double>(std::max<Time::rep>(1, plan.predicted.count()));
  std::string text =
      fmt::format("{}: {} calls on {} ranks by {}, {} messages with {}\n", program.read.program.source.name(),
                  program.read.program.calls.size(), plan.parallel.ranks.size(), plan.scheduler,
                  plan.parallel.transfers.size(), to_string(Bytes{plan.bytes}));
  if (plan.period)
    text += fmt::format(
        "predicted for successive inputs: {} each, {}; on one rank {}: {:.2f} times the throughput\n",
        to_string(*plan.period),
        to_string(Frequency{1e9 / static_cast<double>(std::max<Time::rep>(1, plan.period->count()))}),
        to_string(plan.sequential),
        static_cast<double>(plan.sequential.count()) /
            static_cast<double>(std::max<Time::rep>(1, plan.period->count())));
  else
    text += fmt::format("predicted: {}; on one rank {}: {:.2f} times as fast\n", to_string(plan.predicted),
                        to_string(plan.sequential), speed_up);
  if (!plan.advice.empty()) text += plan.advice + "\n";
  return text;
}

}  // namespace takt::frontend
