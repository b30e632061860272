#include "schedulers/streams/stream_schedule.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "logp/timing.hpp"

namespace takt::schedulers {

namespace {

/// Per processor: the stream's own tasks in their order; empty if a frame has none there.
using Orders = std::vector<std::vector<TaskId>>;

Orders orders_of(const CyclicTimetable& timetable, const std::string& stream, std::uint32_t frame) {
  Orders orders;
  for (const std::vector<Operation>& operations : timetable.operations_of(stream, frame)) {
    std::vector<TaskId>& order = orders.emplace_back();
    for (const Operation& operation : operations)
      if (operation.kind == OperationKind::compute)
        order.emplace_back(timetable.own_number(operation.task()));
  }
  return orders;
}

logp::Machine without_network(const logp::Machine& machine, const std::vector<ProcessorId>& processors) {
  const logp::Machine part = machine.subset(processors);
  Platform platform = part.platform();
  platform.network = {};
  return {std::move(platform), part.level_costs(), part.pair_costs(), part.cluster_costs()};
}

}  // namespace

StreamSchedule schedule_of(const Stream& stream, const CyclicTimetable& timetable) {
  const Orders first = orders_of(timetable, stream.name, 0);
  std::uint32_t frames = 0;
  for (const auto& [name, count] : timetable.streams())
    if (name == stream.name) frames = count;
  for (std::uint32_t frame = 1; frame < frames; ++frame)
    if (orders_of(timetable, stream.name, frame) != first)
      throw ConfigError(
          fmt::format("the frames of '{}' have different placements in the timetable", stream.name));

  std::vector<ProcessorId> processors, chain;
  logp::Allocation allocation;
  for (ProcessorId p : timetable.machine().processors()) {
    if (first[p.index()].empty()) continue;
    processors.push_back(p);
    chain.emplace_back(chain.size());
    allocation.order.push_back(first[p.index()]);
  }
  logp::Machine machine = without_network(timetable.machine(), processors);
  Schedule schedule = logp::time_relay(stream.graph, machine, allocation, chain);
  schedule.scheduler = "streams";
  schedule.whole_frames = stream.whole_frames;
  StreamSchedule result{std::move(processors), std::move(machine), std::move(schedule), {}, {}};
  for (ProcessorId p : result.processors) {
    const Time busy = timetable.busy(p, stream.name);
    result.work.push_back(busy / frames);
    result.shares.push_back(static_cast<double>(busy.count()) /
                            static_cast<double>(timetable.cycle().count()));
  }
  return result;
}

}  // namespace takt::schedulers
