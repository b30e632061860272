#include "pipeline/planning/travelling.hpp"

#include <algorithm>
#include <utility>

#include "logp/period.hpp"
#include "pipeline/planning/rank_memory.hpp"

namespace takt::pipeline {

namespace {

bool may_travel(const Stage& stage) {
  return stage.travelling.count > 0;
}

/// Returns by stage the number of processors that run it.
std::vector<std::size_t> processors_of(const Pipeline& pipeline, const Schedule& schedule) {
  std::vector<std::size_t> count(pipeline.stages.size());
  for (const std::vector<Operation>& operations : schedule.processors) {
    std::vector<bool> is_here(count.size());
    for (const Operation& operation : operations)
      if (operation.kind == OperationKind::compute) is_here[operation.subject] = true;
    for (std::size_t stage = 0; stage < count.size(); ++stage) count[stage] += is_here[stage] ? 1 : 0;
  }
  return count;
}

}  // namespace

std::optional<Pipeline> with_free_states(const Pipeline& pipeline, const logp::Machine& machine) {
  if (!share_memory(pipeline, machine) || machine.processor_count() < 2 ||
      std::ranges::none_of(pipeline.stages, may_travel))
    return std::nullopt;
  Pipeline free = pipeline;
  for (Stage& stage : free.stages) stage.stateless = stage.stateless || may_travel(stage);
  return free;
}

std::vector<StageCost> with_state_transfers(const Pipeline& pipeline, std::vector<StageCost> costs,
                                            const logp::Machine& machine) {
  const ProcessorId from(0), to(1);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const Bytes bytes = pipeline.stages[i].travelling;
    if (bytes.count == 0) continue;
    const Time transfer = machine.send_overhead(from, to, bytes) + machine.latency(from, to, bytes) +
                          machine.receive_overhead(from, to, bytes);
    costs[i].cost += transfer;
    for (StageCost::OnRank& each : costs[i].by_rank) each.cost += transfer;
  }
  return costs;
}

std::optional<Schedule> with_travelling(const Pipeline& pipeline, const logp::Machine& machine,
                                        Schedule schedule) {
  const std::vector<std::size_t> processors = processors_of(pipeline, schedule);
  for (std::size_t stage = 0; stage < processors.size(); ++stage)
    if (may_travel(pipeline.stages[stage]) && processors[stage] > 1) schedule.travelling.emplace_back(stage);
  if (schedule.travelling.empty()) return std::nullopt;
  return logp::with_travelling_states(machine, schedule);
}

}  // namespace takt::pipeline
