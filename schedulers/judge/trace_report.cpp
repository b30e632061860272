#include "schedulers/judge/trace_report.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/formats/json_text.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/pictures/text_table.hpp"
#include "schedulers/delay/ready_queue.hpp"

namespace takt::schedulers {

using Json = nlohmann::ordered_json;

namespace {

/// Returns the schedule's tasks in order of time, as steps without reasons.
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

/// A step, and the other tasks that were ready.
struct ToldStep {
  Step step;
  std::vector<std::string> also_ready;
  std::size_t also_ready_count = 0;
};

struct Tale {
  std::vector<ToldStep> steps;
  /// Processor and times of each task in the final schedule.
  std::vector<Slot> scheduled;
  /// Whether the algorithm left a trace; whether each step places one ready task, and each task once for
  /// clusters and once for processors; whether any step has considered slots; whether any task runs
  /// elsewhere, or at another time, than in its steps.
  bool has_reasons = false;
  bool has_ready_list = false;
  bool has_considered = false;
  bool has_scheduled = false;
  /// What steps assign tasks to.
  bool has_clusters = false;
  bool has_processors = false;
  /// The compared value, if it is not the start.
  std::string_view compared = {};
};

std::string_view name_of(Place place) {
  return place == Place::cluster ? "cluster" : "processor";
}

/// Returns C3 or P3.
std::string place_text(const Step& step, ProcessorId id) {
  return fmt::format("{}{}", step.place == Place::cluster ? 'C' : 'P', id.index());
}

bool has_values(const Step& step) {
  return step.values.size() == step.considered.size() && step.compared != "start";
}

/// Returns the slots of the first instance, by task.
std::vector<Slot> slots_of(const Schedule& schedule, std::size_t task_count) {
  std::vector<Slot> slots(task_count);
  for (std::size_t p = 0; p < schedule.processors.size(); ++p)
    for (const Operation& operation : schedule.processors[p])
      if (operation.kind == OperationKind::compute && operation.instance == 0)
        slots[operation.task().index()] = {ProcessorId(p), operation.start};
  return slots;
}

Tale told(const Narration& narration) {
  constexpr std::size_t most_names = 50;
  const TaskGraph& graph = narration.graph;
  Tale tale;
  tale.has_reasons = tale.has_ready_list = !narration.trace.empty();
  tale.scheduled = slots_of(narration.schedule, graph.task_count());

  OpenParents open(graph);
  std::set<TaskId> waiting;
  const auto wait = [&](TaskId task) { waiting.insert(task); };
  open.entries(wait);
  for (const Step& step : tale.has_reasons ? narration.trace : steps_of(narration.schedule)) {
    if (!tale.steps.empty() && tale.steps.back().step.place != step.place) {
      // The clusters are complete; the next steps assign processors.
      open = OpenParents(graph);
      waiting.clear();
      open.entries(wait);
    }
    ToldStep& now = tale.steps.emplace_back(step);
    (step.place == Place::cluster ? tale.has_clusters : tale.has_processors) = true;
    tale.has_considered |= !step.considered.empty();
    if (has_values(step)) tale.compared = step.compared;
    const Slot& scheduled = tale.scheduled[step.task.index()];
    tale.has_scheduled |=
        tale.has_reasons && (scheduled.start != step.start ||
                             (step.place == Place::processor && scheduled.processor != step.processor));
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

std::string considered_to_text(const Step& step, std::string_view space = no_break) {
  constexpr std::size_t most = 6;
  const std::vector<Slot>& slots = step.considered;
  std::string text;
  for (std::size_t i = 0; i < std::min(slots.size(), most); ++i) {
    text += fmt::format("{}{}{}{}", i > 0 ? ", " : "", place_text(step, slots[i].processor), space,
                        slots[i].start.count());
    if (has_values(step)) text += fmt::format("{}({})", space, step.values[i]);
  }
  if (slots.size() > most) text += fmt::format("{}+{}", space, slots.size() - most);
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
  std::string text =
      fill(fmt::format("{}: {}", narration.scheduler.name, narration.scheduler.summary), text_columns) + '\n';
  if (!tale.has_reasons)
    text += "It does not place tasks one by one; this is its schedule in order of\ntime.\n";
  if (tale.has_clusters)
    text += tale.has_processors
                ? "First the clusters (C), then their mapping to the processors (P).\n"
                : "There are at most as many clusters as processors: each gets its own processor.\n";
  if (tale.has_considered) text += "Considered: candidate placements of the task of the step.\n";
  if (tale.has_scheduled)
    text += "Start and end are times of the algorithm's model; 'scheduled' is the schedule's.\n";
  return text;
}

}  // namespace

Decisions decisions_of(const Trace& trace) {
  Decisions decisions;
  decisions.reserve(trace.size());
  for (const Step& step : trace) {
    Decision& decision =
        decisions.emplace_back(Decision{.task = step.task,
                                        .place = static_cast<std::uint32_t>(step.processor.index()),
                                        .is_cluster = step.place == Place::cluster,
                                        .start = step.start,
                                        .end = step.end,
                                        .reason = step.reason});
    if (step.considered.empty()) continue;
    decision.reason += fmt::format("{}considered from {}{}", decision.reason.empty() ? "" : "; ",
                                   has_values(step) ? fmt::format("({}) ", step.compared) : "",
                                   considered_to_text(step, " "));
  }
  return decisions;
}

std::string trace_to_text(const Narration& narration) {
  const Tale tale = told(narration);
  const bool is_mixed = tale.has_clusters && tale.has_processors;
  const std::string_view place = is_mixed ? "place" : tale.has_clusters ? "cluster" : "processor";
  std::vector<TextTable::Column> columns{
      {"step", true}, {"task"}, {std::string(place), true}, {"start", true}, {"end", true}};
  if (tale.has_scheduled) columns.push_back({"scheduled"});
  if (tale.has_reasons) columns.push_back({.name = "reason", .is_prose = true});
  if (tale.has_considered)
    columns.push_back({.name = tale.compared.empty() ? "starts considered"
                                                     : fmt::format("starts ({}) considered", tale.compared),
                       .is_prose = true});
  if (tale.has_ready_list) columns.push_back({.name = "also ready", .is_prose = true});
  constexpr std::size_t keys = 2;
  TextTable table(std::move(columns), keys);
  for (std::size_t i = 0; i < tale.steps.size(); ++i) {
    const Step& step = tale.steps[i].step;
    std::vector<std::string> row{
        fmt::format("{}", i + 1), narration.graph.task(step.task).name,
        is_mixed ? place_text(step, step.processor) : fmt::format("{}", step.processor.index()),
        fmt::format("{}", step.start.count()), fmt::format("{}", step.end.count())};
    const Slot& scheduled = tale.scheduled[step.task.index()];
    if (tale.has_scheduled)
      row.push_back(fmt::format("P{} {}", scheduled.processor.index(), scheduled.start.count()));
    if (tale.has_reasons) row.push_back(step.reason);
    if (tale.has_considered) row.push_back(considered_to_text(step));
    if (tale.has_ready_list) row.push_back(also_ready_to_text(tale.steps[i]));
    table.add(std::move(row));
  }
  return heading(narration, tale) + table.to_text();
}

Json trace_json(const Narration& narration) {
  const Tale tale = told(narration);
  Json list = Json::array();
  for (const auto& [step, also_ready, also_ready_count] : tale.steps) {
    const std::string place(name_of(step.place));
    Json& object = list.emplace_back(Json{{"task", narration.graph.task(step.task).name},
                                          {place, step.processor.index()},
                                          {"start", step.start.count()},
                                          {"end", step.end.count()}});
    if (tale.has_reasons) object["reason"] = step.reason;
    if (!step.considered.empty()) {
      Json& slots = object["considered"] = Json::array();
      for (std::size_t i = 0; i < step.considered.size(); ++i) {
        slots.push_back(
            {{place, step.considered[i].processor.index()}, {"start", step.considered[i].start.count()}});
        if (has_values(step)) slots.back()["value"] = json_number(step.values[i]);
      }
      if (has_values(step)) object["compared"] = step.compared;
    }
    if (tale.has_scheduled) {
      const Slot& scheduled = tale.scheduled[step.task.index()];
      object["scheduled"] = {{"processor", scheduled.processor.index()}, {"start", scheduled.start.count()}};
    }
    if (tale.has_ready_list) {
      object["also_ready"] = also_ready;
      object["also_ready_count"] = also_ready_count;
    }
  }
  return list;
}

}  // namespace takt::schedulers
