#include "pipeline/program/program.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/error.hpp"
#include "pipeline/calls/canary.hpp"
#include "pipeline/program/iteration_order.hpp"

namespace takt::pipeline {

namespace {

std::size_t aligned(std::size_t bytes) {
  return (bytes + header_bytes - 1) / header_bytes * header_bytes;
}

ChannelPlan plan_channel(const Pipeline& pipeline, const TaskGraph& graph, const Schedule& schedule,
                         const Operation& operation) {
  const Message& message = schedule.message(operation.message());
  ChannelPlan plan;
  const bool sends = operation.kind == OperationKind::send;
  plan.peer = static_cast<int>((sends ? message.to : message.from).index());
  plan.tag = static_cast<int>(operation.subject * schedule.replicas + operation.instance);
  plan.instance = operation.instance;
  for (DatumId datum : schedule.payload(operation.message())) {
    const std::size_t stage = graph.datum_task(datum).index();
    plan.add(stage, pipeline.stages[stage].output.size().count);
  }
  if (plan.parts.size() > Envelope::max_parts || plan.bytes > std::numeric_limits<int>::max())
    throw ConfigError(
        fmt::format("the message from rank {} to rank {} carries {} streams in {}: expected at most {} "
                    "streams and 2 GiB: use fewer ranks or smaller frames",
                    message.from.index(), message.to.index(), plan.parts.size(), to_string(Bytes{plan.bytes}),
                    Envelope::max_parts));
  return plan;
}

/// Finds how long the ranks of a pipelined schedule need a message.
class MessageUses {
 public:
  MessageUses(const Pipeline& pipeline, const TaskGraph& graph, const Schedule& schedule,
              const std::vector<std::vector<OrderedOperation>>& orders)
      : pipeline_(pipeline), graph_(graph), schedule_(schedule), orders_(orders) {}

  /// Sets ChannelPlan::least_depth and `kept`. `step` is one end of the channel.
  void size(ChannelPlan& plan, const OrderedOperation& step) const {
    const Message& message = schedule_.message(step.operation.message());
    std::uint32_t first = step.offset, last_here = 0, last = 0;
    for (const ChannelPlan::Part& part : plan.parts) {
      for (const OrderedOperation& each : orders_[message.from.index()]) {
        if (each.operation.instance != plan.instance) continue;
        if (makes(each.operation, part.stage)) first = std::min(first, each.offset);
        if (needs(each.operation, part.stage)) last = std::max(last, each.offset);
      }
      for (const OrderedOperation& each : orders_[message.to.index()])
        if (each.operation.instance == plan.instance && needs(each.operation, part.stage))
          last_here = std::max(last_here, each.offset);
    }
    plan.least_depth = 1 + std::max(last, last_here) - first;
    if (step.operation.kind == OperationKind::receive)
      plan.kept = std::max(last_here, step.offset) - step.offset;
  }

 private:
  [[nodiscard]] bool carries(const Operation& operation, std::size_t stage) const {
    return std::ranges::any_of(schedule_.payload(operation.message()),
                               [&](DatumId datum) { return graph_.datum_task(datum).index() == stage; });
  }
  [[nodiscard]] bool makes(const Operation& operation, std::size_t stage) const {
    if (operation.kind == OperationKind::compute) return operation.subject == stage;
    return operation.kind == OperationKind::receive && carries(operation, stage);
  }
  [[nodiscard]] bool needs(const Operation& operation, std::size_t stage) const {
    if (operation.kind == OperationKind::compute)
      return std::ranges::count(pipeline_.stages[operation.subject].inputs, stage) > 0;
    return operation.kind == OperationKind::send && carries(operation, stage);
  }

  const Pipeline& pipeline_;
  const TaskGraph& graph_;
  const Schedule& schedule_;
  const std::vector<std::vector<OrderedOperation>>& orders_;
};

/// Returns the copies of outputs that this order of steps needs.
std::uint32_t phases_of(const Pipeline& pipeline, const RankProgram& program) {
  const std::vector<Step>& steps = program.steps;
  std::size_t phases = 1;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto note = [&](std::size_t stage) {
      for (std::size_t k = 0; k < steps.size(); ++k)
        if (is_later(program, i, k) && needs(pipeline, program, steps[k], stage))
          phases = std::max(phases, steps_between(program, i, k) / steps.size() + 1);
    };
    if (steps[i].kind == OperationKind::compute) note(steps[i].index);
    if (steps[i].kind == OperationKind::receive)
      for (const ChannelPlan::Part& part : program.receives[steps[i].index].parts) note(part.stage);
  }
  return static_cast<std::uint32_t>(phases);
}

}  // namespace

void ChannelPlan::add(std::size_t stage, std::size_t part_bytes) {
  parts.push_back({.stage = stage, .bytes = part_bytes});
  bytes = header_bytes;
  for (Part& part : parts) {
    part.header = bytes;
    bytes += header_bytes;
  }
  for (Part& part : parts) {
    part.elements = bytes;
    bytes += aligned(part.bytes + canary_bytes);
  }
}

std::size_t instances_of(const RankProgram& program, std::size_t stage) {
  return static_cast<std::size_t>(std::ranges::count_if(program.steps, [&](const Step& step) {
    return step.kind == OperationKind::compute && step.index == stage;
  }));
}

std::uint32_t largest_offset(const RankProgram& program) {
  std::uint32_t largest = 0;
  for (const Step& step : program.steps) largest = std::max(largest, step.offset);
  return largest;
}

bool needs(const Pipeline& pipeline, const RankProgram& program, const Step& step, std::size_t stage) {
  if (step.kind == OperationKind::compute)
    return std::ranges::count(pipeline.stages[step.index].inputs, stage) > 0;
  return step.kind == OperationKind::send &&
         std::ranges::count(program.sends[step.index].parts, stage, &ChannelPlan::Part::stage) > 0;
}

RankProgram make_program(const Pipeline& pipeline, const TaskGraph& graph, const Schedule& schedule,
                         ProcessorId processor, Bytes cache) {
  RankProgram program;
  program.instances = schedule.replicas;
  for (const TaskId task : schedule.travelling) program.travelling.push_back({.stage = task.index()});
  if (processor.index() >= schedule.processors.size()) return program;
  std::vector<std::vector<OrderedOperation>> orders;
  if (schedule.repetition) orders = iteration_orders(pipeline, schedule);
  std::vector<OrderedOperation> own;
  if (schedule.repetition)
    own = orders[processor.index()];
  else
    for (const Operation& operation : schedule.processors[processor.index()]) own.push_back({operation});
  const std::uint32_t first =
      own.empty() ? 0 : std::ranges::min_element(own, {}, &OrderedOperation::offset)->offset;
  for (const OrderedOperation& ordered : own) {
    const Operation& operation = ordered.operation;
    std::size_t index = operation.subject;
    if (operation.kind != OperationKind::compute) {
      // Messages without data (from Brent's method) have no effect in a run.
      if (schedule.payload(operation.message()).empty()) continue;
      auto& channels = operation.kind == OperationKind::send ? program.sends : program.receives;
      channels.push_back(plan_channel(pipeline, graph, schedule, operation));
      if (schedule.repetition) MessageUses(pipeline, graph, schedule, orders).size(channels.back(), ordered);
      index = channels.size() - 1;
    }
    program.steps.push_back({operation.kind, operation.instance, index, ordered.offset - first});
  }
  for (RankProgram::Travelling& each : program.travelling)
    each.has_last = std::ranges::any_of(program.steps, [&](const Step& step) {
      return step.kind == OperationKind::compute && step.index == each.stage &&
             step.instance + 1 == schedule.replicas;
    });
  if (largest_offset(program) > 0) program.phases = phases_of(pipeline, program);
  program.tiled = find_tiled_steps(pipeline, program, tile(pipeline, cache));
  return program;
}

}  // namespace takt::pipeline
