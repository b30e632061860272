#include "schedulers/judge/evaluation_report.hpp"

#include <algorithm>
#include <ostream>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/devices.hpp"
#include "core/formats/json_text.hpp"
#include "core/pictures/gantt_text.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/pictures/text_table.hpp"
#include "schedulers/judge/figure_columns.hpp"
#include "schedulers/judge/schedule_lists.hpp"

namespace takt::schedulers {

using Json = nlohmann::ordered_json;

namespace {

std::string optimality(const Figures& figures) {
  if (figures.optimal && figures.bound_among.empty()) return " (optimal)";
  const std::string among = optimal_among(figures);
  return among.empty() ? "" : fmt::format(" (optimal among {})", among);
}

Json verdict_json(const Evaluation& evaluation) {
  Json json;
  add_figures(json, evaluation.figures);
  if (evaluation.schedule.guarantee) json["guarantee"] = *evaluation.schedule.guarantee;
  json["findings"] = Json::array();
  for (const logp::Finding& finding : evaluation.findings)
    json["findings"].push_back({{"rule", finding.rule}, {"message", finding.message}});
  return json;
}

Json occupancy_json(const ScheduleMetrics& metrics) {
  Json list = Json::array();
  for (const Occupancy& each : metrics.occupancy)
    list.push_back({{"start", each.start.count()},
                    {"end", each.end.count()},
                    {"compute", each.compute.count()},
                    {"overhead", each.overhead.count()},
                    {"blank", each.blank().count()}});
  return list;
}

std::string occupancy_to_text(const Evaluation& evaluation) {
  TextTable table({{"processor", true},
                   {"start", true},
                   {"end", true},
                   {"occupied", true},
                   {"compute", true},
                   {"overhead", true},
                   {"blank", true},
                   {"busy", true}});
  for (std::size_t p = 0; p < evaluation.metrics.occupancy.size(); ++p) {
    const Occupancy& each = evaluation.metrics.occupancy[p];
    if (evaluation.schedule.processors[p].empty()) continue;
    const double busy = static_cast<double>((each.compute + each.overhead).count()) /
                        static_cast<double>(std::max<Time::rep>(evaluation.metrics.repetition.count(), 1));
    table.add({fmt::format("{}", p), fmt::format("{}", each.start.count()),
               fmt::format("{}", each.end.count()), fmt::format("{}", each.occupied().count()),
               fmt::format("{}", each.compute.count()), fmt::format("{}", each.overhead.count()),
               fmt::format("{}", each.blank().count()), fmt::format("{:.1f} %", 100 * busy)});
  }
  return table.to_text();
}

/// The devices, with their loads; empty without any.
Json devices_json(const Evaluation& evaluation, const TaskGraph& graph) {
  Json list = Json::array();
  for (const Device& device : evaluation.schedule.devices) {
    Json tasks = Json::array(), operations = Json::array();
    for (const DeviceUse& use : device.uses)
      tasks.push_back({{"task", graph.task(use.task).name},
                       {"work", use.work.count()},
                       {"transfer", use.transfer.count()},
                       {"depth", use.depth}});
    for (const Operation& operation : device.operations)
      operations.push_back({{"task", graph.task(operation.task()).name},
                            {"instance", std::uint32_t{operation.instance}},
                            {"start", operation.start.count()},
                            {"end", operation.end.count()}});
    list.push_back({{"name", device.name},
                    {"units", device.units},
                    {"busy", load_of(device, evaluation.schedule.replicas,
                                     std::max(Time{1}, evaluation.metrics.repetition))},
                    {"tasks", std::move(tasks)},
                    {"operations", std::move(operations)}});
  }
  return list;
}

std::string devices_to_text(const Evaluation& evaluation) {
  if (evaluation.schedule.devices.empty()) return "";
  TextTable table({{"device"}, {"units", true}, {"busy", true}});
  for (const Device& device : evaluation.schedule.devices)
    table.add({device.name, fmt::format("{}", device.units),
               fmt::format("{:.1f} %", 100 * load_of(device, evaluation.schedule.replicas,
                                                     std::max(Time{1}, evaluation.metrics.repetition)))});
  return '\n' + table.to_text();
}

std::string_view plural(std::size_t count) {
  return count == 1 ? "" : "s";
}

}  // namespace

Json evaluation_json(const Evaluation& evaluation, const TaskGraph& graph) {
  Json json = evaluation_json_without_lists(evaluation);
  json["tasks"] = tasks_json(evaluation.schedule, graph);
  json["messages"] = messages_json(evaluation.schedule, graph);
  if (!evaluation.schedule.devices.empty()) json["devices"] = devices_json(evaluation, graph);
  return json;
}

Json evaluation_json_without_lists(const Evaluation& evaluation) {
  Json json = verdict_json(evaluation);
  json["occupancy"] = occupancy_json(evaluation.metrics);
  json["tasks"] = json["messages"] = nullptr;
  return json;
}

void write_with_lists(std::ostream& out, const Json& json, const Evaluation& evaluation,
                      const TaskGraph& graph) {
  const ScheduleLists lists(evaluation.schedule, graph);
  std::string text = "{";
  for (auto entry = json.begin(); entry != json.end(); ++entry) {
    text += fmt::format("{}\n  {}: ", entry == json.begin() ? "" : ",", Json(entry.key()).dump());
    if (entry.key() == "tasks") {
      lists.append_tasks(out, text);
    } else if (entry.key() == "messages") {
      lists.append_messages(out, text);
    } else {
      append_json(*entry, 2, text);
    }
  }
  if (!evaluation.schedule.devices.empty()) {
    text += ",\n  \"devices\": ";
    append_json(devices_json(evaluation, graph), 2, text);
  }
  out << text << "\n}\n";
}

std::string to_json(const Evaluation& evaluation, const TaskGraph& graph) {
  return json_text(evaluation_json(evaluation, graph));
}

std::string verdict_to_json(const Evaluation& evaluation) {
  return json_text(verdict_json(evaluation));
}

std::string verdict_to_text(const Evaluation& evaluation) {
  const Figures& figures = evaluation.figures;
  std::string text =
      fmt::format("{} on {} processor{}: period {} ticks, frequency {:.6g} frames/tick, makespan {} ticks\n",
                  figures.scheduler, figures.processors_used, plural(figures.processors_used),
                  to_decimal(figures.exact_period()), figures.frequency(), figures.makespan.count());
  if (figures.replicas > 1)
    text += fmt::format("an iteration of {} ticks holds {} frames, with a latency of at most {} ticks\n",
                        figures.repetition.count(), figures.replicas, figures.latency.count());
  text +=
      fmt::format("lower bound of the period {} ticks{}, ratio {}{}; of the makespan {} ticks, ratio {}\n",
                  to_decimal(figures.bound), figures.optimal ? "" : of_class(figures),
                  to_text(Ratio{figures.ratio()}, Digits::few), optimality(figures),
                  figures.makespan_bound.count(), to_text(Ratio{figures.makespan_ratio()}, Digits::few));
  if (evaluation.schedule.guarantee)
    text +=
        fmt::format("guarantee: the makespan is at most {:.4g} times the least one, for free communication\n",
                    *evaluation.schedule.guarantee);
  text = fill(text, text_columns);
  text += fmt::format("speed-up {:.3g}, efficiency {:.3g}\n", figures.speed_up(), figures.efficiency());
  const std::size_t count = evaluation.findings.size();
  if (count == 0) return text + "valid: correct under the machine model\n";
  text += fmt::format("not valid: {} finding{}\n", count, plural(count));
  for (const logp::Finding& finding : evaluation.findings)
    text += "  " + fill(fmt::format("{}: {}", finding.rule, finding.message), text_columns - 4, 4) + '\n';
  return text;
}

std::string to_text(const Evaluation& evaluation, const TaskGraph& graph) {
  const std::string gantt = draw_gantt(evaluation.schedule, graph, text_columns);
  if (gantt.empty()) return verdict_to_text(evaluation);
  return fmt::format("{}\n{}\n{}{}", verdict_to_text(evaluation), gantt, occupancy_to_text(evaluation),
                     devices_to_text(evaluation));
}

}  // namespace takt::schedulers
