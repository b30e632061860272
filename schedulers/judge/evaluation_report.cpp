#include "schedulers/judge/evaluation_report.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/pictures/gantt_text.hpp"
#include "core/pictures/text_table.hpp"
#include "schedulers/judge/figure_columns.hpp"

namespace takt::schedulers {

namespace {

/// A JSON list with one element a line.
std::string list(const std::vector<std::string>& elements) {
  if (elements.empty()) return "[]";
  return fmt::format("[\n    {}\n  ]", fmt::join(elements, ",\n    "));
}

/// Of which schedules none has a smaller period; nothing where that is not known of any.
std::string optimal_among(const Figures& figures) {
  return figures.optimal ? "all schedules" : figures.optimal_among;
}

std::string optimality(const Figures& figures) {
  if (figures.optimal) return " (optimal)";
  return figures.optimal_among.empty() ? "" : fmt::format(" (optimal among {})", figures.optimal_among);
}

std::string findings_to_json(const std::vector<logp::Finding>& findings) {
  std::vector<std::string> elements;
  for (const logp::Finding& finding : findings)
    elements.push_back(
        fmt::format("{{\"rule\": {}, \"message\": {}}}", quoted(finding.rule), quoted(finding.message)));
  return list(elements);
}

std::string judgement_to_json(const Evaluation& evaluation) {
  return fmt::format("{},\n  \"optimal_among\": {},\n  \"findings\": {}",
                     figures_to_json(evaluation.figures, ",\n  "), quoted(optimal_among(evaluation.figures)),
                     findings_to_json(evaluation.findings));
}

std::string occupancy_to_json(const ScheduleMetrics& metrics) {
  std::vector<std::string> elements;
  for (const Occupancy& each : metrics.occupancy)
    elements.push_back(
        fmt::format("{{\"start\": {}, \"end\": {}, \"compute\": {}, \"overhead\": {}, \"blank\": {}}}",
                    each.start.count(), each.end.count(), each.compute.count(), each.overhead.count(),
                    each.blank().count()));
  return list(elements);
}

/// With several instances in a schedule, each object says which one it belongs to.
std::string instance_member(const Schedule& schedule, std::uint32_t instance) {
  return schedule.replicas > 1 ? fmt::format(", \"instance\": {}", instance) : "";
}

std::string tasks_to_json(const Schedule& schedule, const TaskGraph& graph) {
  struct Placed {
    Operation operation;
    std::size_t processor;
  };
  std::vector<Placed> placed;
  for (std::size_t p = 0; p < schedule.processors.size(); ++p)
    for (const Operation& operation : schedule.processors[p])
      if (operation.kind == OperationKind::compute) placed.push_back({operation, p});
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return std::pair(a.operation.instance, a.operation.subject) <
           std::pair(b.operation.instance, b.operation.subject);
  });
  std::vector<std::string> elements;
  for (const auto& [operation, processor] : placed)
    elements.push_back(fmt::format("{{\"name\": {}, \"processor\": {}, \"start\": {}, \"end\": {}{}}}",
                                   quoted(graph.task(operation.task()).name), processor,
                                   operation.start.count(), operation.end.count(),
                                   instance_member(schedule, operation.instance)));
  return list(elements);
}

std::string messages_to_json(const Schedule& schedule, const TaskGraph& graph) {
  /// Starts of a message's two ends, for each instance that it is sent for.
  struct Starts {
    std::optional<Time> send, receive;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Starts> starts;
  for (const std::vector<Operation>& operations : schedule.processors)
    for (const Operation& operation : operations) {
      if (operation.kind == OperationKind::compute) continue;
      Starts& each = starts[{operation.subject, operation.instance}];
      (operation.kind == OperationKind::send ? each.send : each.receive) = operation.start;
    }
  const auto number = [](const std::optional<Time>& time) {
    return time ? fmt::format("{}", time->count()) : std::string("null");
  };
  std::vector<std::string> elements;
  for (const auto& [key, each] : starts) {
    const MessageId id(key.first);
    const Message& message = schedule.message(id);
    std::vector<std::string> tasks;
    for (DatumId datum : schedule.payload(id)) {
      std::string name = quoted(graph.task(graph.datum_task(datum)).name);
      if (tasks.empty() || tasks.back() != name) tasks.push_back(std::move(name));
    }
    elements.push_back(
        fmt::format("{{\"from\": {}, \"to\": {}, \"tasks\": [{}], \"bytes\": {}, \"send_start\": {}, "
                    "\"recv_start\": {}{}}}",
                    message.from.index(), message.to.index(), fmt::join(tasks, ", "), message.size.count,
                    number(each.send), number(each.receive), instance_member(schedule, key.second)));
  }
  return list(elements);
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

std::string_view plural(std::size_t count) {
  return count == 1 ? "" : "s";
}

}  // namespace

std::string to_json(const Evaluation& evaluation, const TaskGraph& graph,
                    const std::vector<std::pair<std::string, std::string>>& more) {
  std::string members =
      fmt::format("{},\n  \"occupancy\": {},\n  \"tasks\": {},\n  \"messages\": {}",
                  judgement_to_json(evaluation), occupancy_to_json(evaluation.metrics),
                  tasks_to_json(evaluation.schedule, graph), messages_to_json(evaluation.schedule, graph));
  for (const auto& [key, value] : more) members += fmt::format(",\n  \"{}\": {}", key, value);
  return fmt::format("{{\n  {}\n}}\n", members);
}

std::string verdict_to_json(const Evaluation& evaluation) {
  return fmt::format("{{\n  {}\n}}\n", judgement_to_json(evaluation));
}

std::string verdict_to_text(const Evaluation& evaluation) {
  const Figures& figures = evaluation.figures;
  std::string text =
      fmt::format("{} on {} processor{}: period {}, frequency {:.6g}, makespan {}\n", figures.scheduler,
                  figures.processors_used, plural(figures.processors_used),
                  to_decimal(figures.exact_period()), figures.frequency(), figures.makespan.count());
  if (figures.replicas > 1)
    text += fmt::format("a repetition of {} holds {} frames, each of which takes {} at most\n",
                        figures.repetition.count(), figures.replicas, figures.latency.count());
  text += fmt::format("lower bound of the period {}, ratio {}{}; of the makespan {}, ratio {}\n",
                      to_decimal(figures.bound), ratio(figures.ratio(), Digits::few), optimality(figures),
                      figures.makespan_bound.count(), ratio(figures.makespan_ratio(), Digits::few));
  text += fmt::format("speed-up {:.3g}, efficiency {:.3g}\n", figures.speed_up(), figures.efficiency());
  const std::size_t count = evaluation.findings.size();
  if (count == 0) return text + "valid: correct, and obeys the machine's model\n";
  text += fmt::format("not valid: {} finding{}\n", count, plural(count));
  for (const logp::Finding& finding : evaluation.findings)
    text += fmt::format("  {}: {}\n", finding.rule, finding.message);
  return text;
}

std::string to_text(const Evaluation& evaluation, const TaskGraph& graph, std::size_t width) {
  const std::string gantt = draw_gantt(evaluation.schedule, graph, width);
  if (gantt.empty()) return verdict_to_text(evaluation);
  return fmt::format("{}\n{}\n{}", verdict_to_text(evaluation), gantt, occupancy_to_text(evaluation));
}

}  // namespace takt::schedulers
