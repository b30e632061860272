#include "logp/stream_figures.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/stream_names.hpp"

namespace takt::logp {

namespace {

/// First start and last end of one frame.
struct FrameSpan {
  Time start = Time::max(), end = Time::min();
};

struct StreamParts {
  std::map<std::uint32_t, FrameSpan> frames;
  std::set<ProcessorId> processors;
};

}  // namespace

bool StreamFigures::holds() const {
  // Cycles are integer ticks, rates need not be (schedulers/plan/required_rate.hpp).
  constexpr double tolerance = 1e-9;
  return !required || period.ticks() <= required->period * (1 + tolerance);
}

std::vector<StreamFigures> stream_figures(const ScheduleFile& file) {
  std::vector<StreamTaskName> names;
  for (const TaskId task : file.graph.tasks()) {
    const auto parsed = stream_task_name(file.graph.task(task).name);
    if (!parsed) return {};
    names.push_back(*parsed);
  }
  const ScheduleMetrics metrics = measure(file.schedule);
  if (names.empty() || file.schedule.replicas != 1 || metrics.repetition <= Time{0}) return {};

  std::map<std::string_view, StreamParts> parts;
  std::vector<Time> busy(file.schedule.processors.size());
  for (std::size_t p = 0; p < busy.size(); ++p)
    for (const Operation& operation : file.schedule.processors[p]) {
      busy[p] += operation.end - operation.start;
      if (operation.kind != OperationKind::compute) continue;
      const StreamTaskName& name = names[operation.subject];
      StreamParts& own = parts[name.stream];
      FrameSpan& span = own.frames[name.frame];
      span = {std::min(span.start, operation.start), std::max(span.end, operation.end)};
      own.processors.insert(ProcessorId(p));
    }
  std::vector<StreamFigures> figures;
  for (const StreamTaskName& name : names) {
    if (std::ranges::find(figures, name.stream, &StreamFigures::name) != figures.end()) continue;
    const StreamParts& own = parts[name.stream];
    StreamFigures& each = figures.emplace_back();
    each.name = name.stream;
    const auto required = std::ranges::find(file.requirements, name.stream, &StreamRequirement::stream);
    if (required != file.requirements.end()) each.required = *required;
    each.frames = static_cast<std::uint32_t>(std::max<std::size_t>(1, own.frames.size()));
    each.period = {metrics.repetition, each.frames};
    for (const auto& [frame, span] : own.frames) each.latency = std::max(each.latency, span.end - span.start);
    for (const ProcessorId processor : own.processors) {
      each.processors.push_back(processor);
      each.slack = std::min(each.slack, 1 - static_cast<double>(busy[processor.index()].count()) /
                                                static_cast<double>(metrics.repetition.count()));
    }
  }
  return figures;
}

std::vector<Finding> check_stream_rates(const ScheduleFile& file) {
  const std::vector<StreamFigures> figures = stream_figures(file);
  std::vector<Finding> findings;
  for (const StreamRequirement& required : file.requirements) {
    const auto found = std::ranges::find(figures, required.stream, &StreamFigures::name);
    if (found == figures.end())
      findings.push_back({"stream-rate", fmt::format("stream '{}' has no tasks named '{}#FRAME/TASK'",
                                                     required.stream, required.stream)});
    else if (!found->holds())
      findings.push_back(
          {"stream-rate", fmt::format("stream '{}' has a period of {} ticks: required {:.10g}",
                                      required.stream, to_decimal(found->period), required.period)});
  }
  return findings;
}

}  // namespace takt::logp
