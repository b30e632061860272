#include "pipeline/program/program.hpp"

#include <limits>

#include <fmt/format.h>

#include "core/error.hpp"
#include "pipeline/program/envelope.hpp"

namespace takt::pipeline {

namespace {

constexpr std::size_t alignment = 64;

std::size_t aligned(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

ChannelPlan plan_channel(const Pipeline& pipeline, const TaskGraph& graph, const Schedule& schedule,
                         const Operation& operation) {
  const Message& message = schedule.message(operation.message());
  ChannelPlan plan;
  const bool sends = operation.kind == OperationKind::send;
  plan.peer = static_cast<int>((sends ? message.to : message.from).index());
  plan.tag = static_cast<int>(operation.subject * schedule.replicas + operation.instance);
  plan.instance = operation.instance;
  plan.bytes = aligned(sizeof(Envelope));
  for (DatumId datum : schedule.payload(operation.message())) {
    const std::size_t stage = graph.datum_task(datum).index();
    const std::size_t bytes = pipeline.stages[stage].output.size().count;
    plan.parts.push_back({stage, plan.bytes, bytes});
    plan.bytes += header_bytes + aligned(bytes);
  }
  if (plan.parts.size() > Envelope::max_parts || plan.bytes > std::numeric_limits<int>::max())
    throw ConfigError(
        fmt::format("the message from rank {} to rank {} would carry {} streams in {}; at most {} streams "
                    "and 2 GiB fit: use fewer ranks or smaller frames",
                    message.from.index(), message.to.index(), plan.parts.size(), to_string(Bytes{plan.bytes}),
                    Envelope::max_parts));
  return plan;
}

}  // namespace

RankProgram make_program(const Pipeline& pipeline, const TaskGraph& graph, const Schedule& schedule,
                         ProcessorId processor) {
  RankProgram program;
  program.instances = schedule.replicas;
  if (processor.index() >= schedule.processors.size()) return program;
  for (const Operation& operation : schedule.processors[processor.index()]) {
    std::size_t index = operation.subject;
    if (operation.kind != OperationKind::compute) {
      // A message without data (Brent sends some) has nothing to say to a run.
      if (schedule.payload(operation.message()).empty()) continue;
      auto& channels = operation.kind == OperationKind::send ? program.sends : program.receives;
      channels.push_back(plan_channel(pipeline, graph, schedule, operation));
      index = channels.size() - 1;
    }
    program.steps.push_back({operation.kind, operation.instance, index});
  }
  return program;
}

}  // namespace takt::pipeline
