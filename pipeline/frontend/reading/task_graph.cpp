#include "pipeline/frontend/reading/task_graph.hpp"

#include <utility>

#include <fmt/format.h>

namespace takt::frontend {

std::string task_name(const Program& program, CallId call) {
  return fmt::format("{}.{}", program.procedure(program.calls[call.index()]).name, call.index());
}

TaskGraph task_graph(const Program& program, std::span<const Time> work) {
  TaskGraphBuilder builder;
  builder.reserve(program.calls.size());
  for (const CallId call : ids<CallId>(program.calls.size()))
    (void)builder.add_task({.name = task_name(program, call), .work = work[call.index()]});
  for (const Flow& flow : program.flows) {
    const DatumId datum = builder.add_datum(TaskId(flow.from.index()), Bytes{flow.size()});
    for (const CallId reader : flow.to) (void)builder.add_edge(datum, TaskId(reader.index()));
  }
  return std::move(builder).build();
}

}  // namespace takt::frontend
