#include "schedulers/evaluation_report.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/gantt_text.hpp"
#include "core/text_table.hpp"

namespace takt::schedulers {

namespace {

/// A text as JSON; bytes that are not UTF-8 are replaced.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Time over a number of frames: a whole number where it is one.
std::string quotient(Time time, std::uint32_t frames) {
  if (time.count() % frames == 0) return fmt::format("{}", time.count() / frames);
  return fmt::format("{}", static_cast<double>(time.count()) / frames);
}

/// A JSON list with one element a line.
std::string list(const std::vector<std::string>& elements) {
  if (elements.empty()) return "[]";
  return fmt::format("[\n    {}\n  ]", fmt::join(elements, ",\n    "));
}

// ---- one schedule ----

std::string figures_to_json(const Figures& figures, const std::string& separator) {
  const std::vector<std::string> members{
      fmt::format("\"scheduler\": {}", quoted(figures.scheduler)),
      fmt::format("\"processors\": {}", figures.processors_used),
      fmt::format("\"replicas\": {}", figures.replicas),
      fmt::format("\"period\": {}", quotient(figures.repetition, figures.replicas)),
      fmt::format("\"frequency\": {}", figures.frequency()),
      fmt::format("\"makespan\": {}", figures.makespan.count()),
      fmt::format("\"lower_bound\": {}", quotient(figures.bound, figures.replicas)),
      fmt::format("\"ratio\": {}", figures.ratio()),
      fmt::format("\"optimal\": {}", figures.optimal),
      fmt::format("\"speed_up\": {}", figures.speed_up()),
      fmt::format("\"efficiency\": {}", figures.efficiency()),
      fmt::format("\"valid\": {}", figures.valid),
      fmt::format("\"seconds\": {}", figures.seconds),
  };
  return fmt::format("{}", fmt::join(members, separator));
}

std::string findings_to_json(const std::vector<logp::Finding>& findings) {
  std::vector<std::string> elements;
  for (const logp::Finding& finding : findings)
    elements.push_back(
        fmt::format("{{\"rule\": {}, \"message\": {}}}", quoted(finding.rule), quoted(finding.message)));
  return list(elements);
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

// ---- comparisons ----

/// How many digits a number gets: all, or as many as a person reads.
enum class Digits : std::uint8_t { all, few };

std::string number(double value, Digits digits) {
  return digits == Digits::all ? fmt::format("{}", value) : fmt::format("{:.4g}", value);
}

struct FigureColumn {
  std::string_view name;
  bool is_number;
  std::string (*cell)(const Figures&, Digits);
};

constexpr std::array figure_columns{
    FigureColumn{"processors", true,
                 [](const Figures& f, Digits) { return fmt::format("{}", f.processors_used); }},
    FigureColumn{"period", true, [](const Figures& f, Digits) { return quotient(f.repetition, f.replicas); }},
    FigureColumn{"frequency", true,
                 [](const Figures& f, Digits digits) { return number(f.frequency(), digits); }},
    FigureColumn{"makespan", true,
                 [](const Figures& f, Digits) { return fmt::format("{}", f.makespan.count()); }},
    FigureColumn{"lower_bound", true, [](const Figures& f, Digits) { return quotient(f.bound, f.replicas); }},
    FigureColumn{"ratio", true, [](const Figures& f, Digits digits) { return number(f.ratio(), digits); }},
    FigureColumn{"optimal", false, [](const Figures& f, Digits) { return fmt::format("{}", f.optimal); }},
    FigureColumn{"speed_up", true,
                 [](const Figures& f, Digits digits) { return number(f.speed_up(), digits); }},
    FigureColumn{"efficiency", true,
                 [](const Figures& f, Digits digits) { return number(f.efficiency(), digits); }},
    FigureColumn{"valid", false, [](const Figures& f, Digits) { return fmt::format("{}", f.valid); }},
    FigureColumn{"seconds", true, [](const Figures& f, Digits digits) { return number(f.seconds, digits); }},
};

struct TableShape {
  bool machine = true;
  bool error = true;
  Digits digits = Digits::all;
  /// Stands where a scheduler refused.
  std::string_view missing;
};

TextTable comparison_table(const std::vector<ComparisonRow>& rows, const TableShape& shape) {
  std::vector<TextTable::Column> columns{{"graph"}};
  if (shape.machine) columns.push_back({"machine"});
  columns.push_back({"scheduler"});
  for (const FigureColumn& column : figure_columns)
    columns.push_back({std::string(column.name), column.is_number});
  if (shape.error) columns.push_back({"error"});

  TextTable table(std::move(columns));
  for (const ComparisonRow& row : rows) {
    std::vector<std::string> cells{row.graph};
    if (shape.machine) cells.push_back(row.machine);
    cells.push_back(row.scheduler);
    for (const FigureColumn& column : figure_columns)
      cells.push_back(row.figures ? column.cell(*row.figures, shape.digits) : std::string(shape.missing));
    if (shape.error) cells.push_back(row.error);
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace

std::string to_json(const Evaluation& evaluation, const TaskGraph& graph) {
  return fmt::format(
      "{{\n  {},\n  \"findings\": {},\n  \"occupancy\": {},\n  \"tasks\": {},\n  \"messages\": {}\n}}\n",
      figures_to_json(evaluation.figures, ",\n  "), findings_to_json(evaluation.findings),
      occupancy_to_json(evaluation.metrics), tasks_to_json(evaluation.schedule, graph),
      messages_to_json(evaluation.schedule, graph));
}

std::string verdict_to_json(const Evaluation& evaluation) {
  return fmt::format("{{\n  {},\n  \"findings\": {}\n}}\n", figures_to_json(evaluation.figures, ",\n  "),
                     findings_to_json(evaluation.findings));
}

std::string verdict_to_text(const Evaluation& evaluation) {
  const Figures& figures = evaluation.figures;
  std::string text = fmt::format("{} on {} processor{}: period {}, frequency {:.6g}, makespan {}\n",
                                 figures.scheduler, figures.processors_used, plural(figures.processors_used),
                                 quotient(figures.repetition, figures.replicas), figures.frequency(),
                                 figures.makespan.count());
  text += fmt::format("lower bound of the period {}, ratio {:.4g}{}; speed-up {:.3g}\n",
                      quotient(figures.bound, figures.replicas), figures.ratio(),
                      figures.optimal ? " (optimal)" : "", figures.speed_up());
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

std::string comparison_to_json(const std::vector<ComparisonRow>& rows) {
  std::vector<std::string> elements;
  for (const ComparisonRow& row : rows) {
    const std::string head =
        fmt::format("\"graph\": {}, \"machine\": {}", quoted(row.graph), quoted(row.machine));
    elements.push_back(row.figures ? fmt::format("{{{}, {}}}", head, figures_to_json(*row.figures, ", "))
                                   : fmt::format("{{{}, \"scheduler\": {}, \"error\": {}}}", head,
                                                 quoted(row.scheduler), quoted(row.error)));
  }
  if (elements.empty()) return "[]\n";
  return fmt::format("[\n  {}\n]\n", fmt::join(elements, ",\n  "));
}

std::string comparison_to_csv(const std::vector<ComparisonRow>& rows) {
  return comparison_table(rows, {}).to_csv();
}

std::string comparison_to_text(const std::vector<ComparisonRow>& rows) {
  // Columns that would say the same in every row are left out.
  const auto other_machine = [&](const ComparisonRow& row) { return row.machine != rows.front().machine; };
  const auto has_error = [](const ComparisonRow& row) { return !row.error.empty(); };
  return comparison_table(rows, {.machine = std::any_of(rows.begin(), rows.end(), other_machine),
                                 .error = std::any_of(rows.begin(), rows.end(), has_error),
                                 .digits = Digits::few,
                                 .missing = "-"})
      .to_text();
}

}  // namespace takt::schedulers
