#include "schedulers/trace_report.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text_table.hpp"
#include "schedulers/common/ready_queue.hpp"
#include "schedulers/figure_columns.hpp"

namespace takt::schedulers {

namespace {

/// The schedule's tasks in order of time, as steps without reasons.
Trace steps_of(const Schedule& schedule) {
  Trace steps;
  for (std::size_t p = 0; p < schedule.processors.size(); ++p)
    for (const Operation& operation : schedule.processors[p])
      if (operation.kind == OperationKind::compute)
        steps.push_back({operation.task(), ProcessorId(p), operation.start, operation.end, ""});
  std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
    return std::tuple(a.start, a.end, a.processor) < std::tuple(b.start, b.end, b.processor);
  });
  return steps;
}

/// A step, and which other tasks were ready.
struct ToldStep {
  Step step;
  std::vector<std::string> also_ready;
  std::size_t also_ready_count = 0;
};

struct Tale {
  std::vector<ToldStep> steps;
  /// Whether the algorithm left a trace; whether each step places one ready task, and each task once; whether
  /// any says what it compared.
  bool has_reasons = false;
  bool has_ready_list = false;
  bool has_considered = false;
  /// What the steps give tasks to.
  std::string_view place = "processor";
};

Tale told(const Narration& narration) {
  constexpr std::size_t most_names = 50;
  const TaskGraph& graph = narration.graph;
  Tale tale;
  tale.has_reasons = tale.has_ready_list = !narration.trace.empty();
  if (tale.has_reasons && narration.scheduler.family == "clustering") tale.place = "cluster";

  OpenParents open(graph);
  std::set<TaskId> waiting;
  const auto wait = [&](TaskId task) { waiting.insert(task); };
  open.entries(wait);
  for (const Step& step : tale.has_reasons ? narration.trace : steps_of(narration.schedule)) {
    ToldStep& now = tale.steps.emplace_back(step);
    tale.has_considered |= !step.considered.empty();
    tale.has_ready_list = tale.has_ready_list && waiting.erase(step.task) > 0;
    if (!tale.has_ready_list) continue;
    now.also_ready_count = waiting.size();
    for (const TaskId task : waiting) {
      if (now.also_ready.size() == most_names) break;
      now.also_ready.push_back(graph.task(task).name);
    }
    open.place(step.task, wait);
  }
  return tale;
}

std::string considered_to_text(const std::vector<Slot>& slots, char place) {
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(slots.size(), most); ++i)
    text += fmt::format("{}{}{} {}", i > 0 ? ", " : "", place, slots[i].processor.index(),
                        slots[i].start.count());
  if (slots.size() > most) text += fmt::format(" +{}", slots.size() - most);
  return text;
}

std::string also_ready_to_text(const ToldStep& told) {
  constexpr std::size_t most = 8;
  const std::size_t shown = std::min(told.also_ready.size(), most);
  std::string text = fmt::format(
      "{}",
      fmt::join(told.also_ready.begin(), told.also_ready.begin() + static_cast<std::ptrdiff_t>(shown), " "));
  if (told.also_ready_count > shown) text += fmt::format(" +{}", told.also_ready_count - shown);
  return text;
}

std::string heading(const Narration& narration, const Tale& tale) {
  std::string text = fmt::format("{}: {}\n", narration.scheduler.name, narration.scheduler.summary);
  if (!tale.has_reasons)
    text += "It does not place one task after the other; this is its schedule in order of time.\n";
  if (tale.place == "cluster") text += "Clusters come to the processors afterwards.\n";
  return text;
}

}  // namespace

std::string trace_to_text(const Narration& narration) {
  const Tale tale = told(narration);
  std::vector<TextTable::Column> columns{
      {"step", true}, {"task"}, {std::string(tale.place), true}, {"start", true}, {"end", true}};
  if (tale.has_reasons) columns.push_back({"reason"});
  if (tale.has_considered) columns.push_back({"starts considered"});
  if (tale.has_ready_list) columns.push_back({"also ready"});
  TextTable table(std::move(columns));
  for (std::size_t i = 0; i < tale.steps.size(); ++i) {
    const Step& step = tale.steps[i].step;
    std::vector<std::string> row{fmt::format("{}", i + 1), narration.graph.task(step.task).name,
                                 fmt::format("{}", step.processor.index()),
                                 fmt::format("{}", step.start.count()), fmt::format("{}", step.end.count())};
    if (tale.has_reasons) row.push_back(step.reason);
    if (tale.has_considered)
      row.push_back(considered_to_text(step.considered, tale.place == "cluster" ? 'C' : 'P'));
    if (tale.has_ready_list) row.push_back(also_ready_to_text(tale.steps[i]));
    table.add(std::move(row));
  }
  return heading(narration, tale) + table.to_text();
}

std::string trace_to_json(const Narration& narration) {
  const Tale tale = told(narration);
  std::vector<std::string> elements;
  for (const auto& [step, also_ready, also_ready_count] : tale.steps) {
    std::string members = fmt::format("\"task\": {}, \"{}\": {}, \"start\": {}, \"end\": {}",
                                      quoted(narration.graph.task(step.task).name), tale.place,
                                      step.processor.index(), step.start.count(), step.end.count());
    if (tale.has_reasons) members += fmt::format(", \"reason\": {}", quoted(step.reason));
    if (!step.considered.empty()) {
      std::vector<std::string> slots;
      for (const Slot& slot : step.considered)
        slots.push_back(fmt::format("{{\"{}\": {}, \"start\": {}}}", tale.place, slot.processor.index(),
                                    slot.start.count()));
      members += fmt::format(", \"considered\": [{}]", fmt::join(slots, ", "));
    }
    if (tale.has_ready_list) {
      std::vector<std::string> names;
      for (const std::string& name : also_ready) names.push_back(quoted(name));
      members += fmt::format(", \"also_ready\": [{}], \"also_ready_count\": {}", fmt::join(names, ", "),
                             also_ready_count);
    }
    elements.push_back(fmt::format("{{{}}}", members));
  }
  return elements.empty() ? "[]" : fmt::format("[\n    {}\n  ]", fmt::join(elements, ",\n    "));
}

}  // namespace takt::schedulers
