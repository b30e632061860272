#include "pipeline/program/program.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/error.hpp"
#include "pipeline/calls/canary.hpp"

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

bool needs(const Pipeline& pipeline, const RankProgram& program, const Step& step, std::size_t stage) {
  if (step.kind == OperationKind::compute)
    return std::ranges::count(pipeline.stages[step.index].inputs, stage) > 0;
  return step.kind == OperationKind::send &&
         std::ranges::count(program.sends[step.index].parts, stage, &ChannelPlan::Part::stage) > 0;
}

RankProgram make_program(const Pipeline& pipeline, const TaskGraph& graph, const Schedule& schedule,
                         ProcessorId processor, const CacheSizes& caches) {
  RankProgram program;
  program.instances = schedule.replicas;
  if (processor.index() >= schedule.processors.size()) return program;
  for (const Operation& operation : schedule.processors[processor.index()]) {
    std::size_t index = operation.subject;
    if (operation.kind != OperationKind::compute) {
      // Messages without data (from Brent's method) have no effect in a run.
      if (schedule.payload(operation.message()).empty()) continue;
      auto& channels = operation.kind == OperationKind::send ? program.sends : program.receives;
      channels.push_back(plan_channel(pipeline, graph, schedule, operation));
      index = channels.size() - 1;
    }
    program.steps.push_back({operation.kind, operation.instance, index});
  }
  program.tiled = find_tiled_steps(pipeline, program, tile(pipeline, caches));
  return program;
}

}  // namespace takt::pipeline
