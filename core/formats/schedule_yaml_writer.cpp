#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/graph_yaml.hpp"
#include "core/formats/line_writer.hpp"
#include "core/formats/schedule_yaml.hpp"
#include "core/formats/yaml_text.hpp"

namespace takt {

namespace {

void append_operation(std::string& text, const Operation& operation, const TaskGraph& graph) {
  ShortText line;
  switch (operation.kind) {
    case OperationKind::compute:
      put_scalar(line.put("    - {compute: "), text, graph.task(operation.task()).name);
      break;
    case OperationKind::send:
      line.put("    - {send: ").put(operation.subject);
      break;
    case OperationKind::receive:
      line.put("    - {receive: ").put(operation.subject);
      break;
  }
  line.put(", start: ").put(operation.start.count()).put(", end: ").put(operation.end.count());
  if (operation.instance > 0) line.put(", instance: ").put(std::uint32_t{operation.instance});
  text += line.put("}\n").view();
}

/// The operations of all processors as one list, each processor's after a line with its number.
class OperationLines {
 public:
  explicit OperationLines(const Schedule& schedule) : processors_(schedule.processors) {
    for (const std::vector<Operation>& operations : processors_)
      begin_.push_back(begin_.back() + 1 + operations.size());
  }
  [[nodiscard]] std::size_t count() const { return begin_.back(); }
  [[nodiscard]] std::size_t processor(std::size_t line) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(begin_, line) - begin_.begin()) - 1;
  }
  /// Returns null for the line with the processor's number.
  [[nodiscard]] const Operation* operation(std::size_t line, std::size_t processor) const {
    return line == begin_[processor] ? nullptr : &processors_[processor][line - begin_[processor] - 1];
  }

 private:
  const std::vector<std::vector<Operation>>& processors_;
  std::vector<std::size_t> begin_{0};
};

void write_operations(LineWriter& writer, const Schedule& schedule, const TaskGraph& graph) {
  writer.put(schedule.processors.empty() ? "processors: {}\n" : "processors:\n");
  const OperationLines lines(schedule);
  const auto operation_of = [&lines](std::size_t i) { return lines.operation(i, lines.processor(i)); };
  writer.put_lines(
      lines.count(),
      [&](std::string& text, std::size_t i) {
        if (const Operation* operation = operation_of(i)) return append_operation(text, *operation, graph);
        const std::size_t processor = lines.processor(i);
        text += fmt::format("  {}:{}\n", processor, schedule.processors[processor].empty() ? " []" : "");
      },
      [&](std::size_t i) __attribute__((always_inline)) {
        const Operation* operation = operation_of(i);
        if (operation != nullptr && operation->kind == OperationKind::compute)
          __builtin_prefetch(&graph.task(operation->task()));
      });
}

void write_requirements(std::string& text, std::span<const StreamRequirement> requirements) {
  if (!requirements.empty()) text += "streams:\n";
  for (const StreamRequirement& each : requirements)
    text += fmt::format("  - {{name: {}, required_period: {}{}}}\n", yaml_scalar(each.stream), each.period,
                        each.margin == 1 ? "" : fmt::format(", margin: {}", each.margin));
}

void write_devices(LineWriter& writer, const Schedule& schedule, const TaskGraph& graph) {
  std::string text = schedule.devices.empty() ? "" : "devices:\n";
  for (const Device& device : schedule.devices) {
    text += fmt::format("  - name: {}\n    units: {}\n    tasks:{}\n", yaml_scalar(device.name), device.units,
                        device.uses.empty() ? " []" : "");
    for (const DeviceUse& use : device.uses)
      text += fmt::format("    - {{task: {}, work: {}, transfer: {}, depth: {}}}\n",
                          yaml_scalar(graph.task(use.task).name), use.work.count(), use.transfer.count(),
                          use.depth);
    text += device.operations.empty() ? "" : "    operations:\n";
    for (const Operation& operation : device.operations) append_operation(text, operation, graph);
  }
  writer.put(text);
}

/// The index of each datum among the data of its task, by id.
class DatumPlaces {
 public:
  explicit DatumPlaces(const TaskGraph& graph)
      : graph_(graph), of_task_(graph.task_count(), 0), place_(graph.datum_count()) {
    for (DatumId datum : ids<DatumId>(graph.datum_count()))
      place_[datum.index()] = of_task_[graph.datum_task(datum).index()]++;
  }

  /// Appends to `line`, which is appended to `text` first if it would become too long.
  void put(ShortText& line, std::string& text, DatumId datum) const {
    const TaskId task = graph_.datum_task(datum);
    const std::string& name = graph_.task(task).name;
    if (of_task_[task.index()] == 1) return put_scalar(line, text, name);
    put_scalar(line.put("["), text, name);
    line.put(", ").put(place_[datum.index()]).put("]");
  }

  [[gnu::always_inline]] void fetch(DatumId datum) const {
    const TaskId task = graph_.datum_task(datum);
    __builtin_prefetch(&graph_.task(task));
    __builtin_prefetch(&of_task_[task.index()]);
    __builtin_prefetch(&place_[datum.index()]);
  }

 private:
  const TaskGraph& graph_;
  std::vector<std::uint32_t> of_task_, place_;
};

void append_message(std::string& text, const Schedule& schedule, MessageId id, const DatumPlaces& places) {
  const Message& message = schedule.message(id);
  ShortText line;
  line.put("  - {from: ")
      .put(message.from.index())
      .put(", to: ")
      .put(message.to.index())
      .put(", size: ")
      .put(message.size.count)
      .put(", data: [");
  bool is_first = true;
  for (DatumId datum : schedule.payload(id)) {
    if (!is_first) {
      text += line.put(", ").view();
      line.clear();
    }
    places.put(line, text, datum);
    is_first = false;
  }
  if (schedule.route(id).empty()) {
    text += line.put("]}\n").view();
    return;
  }
  text += line.put("]").view();
  std::string_view before = ", route: [{link: ";
  for (const Hop& hop : schedule.route(id)) {
    append_number(text += before, hop.link.index());
    append_number(text += ", start: ", hop.start.count());
    append_number(text += ", end: ", hop.end.count());
    before = "}, {link: ";
  }
  text += "}]}\n";
}

void write_messages(LineWriter& writer, const Schedule& schedule, const TaskGraph& graph) {
  if (schedule.messages.empty()) return;
  const DatumPlaces places(graph);
  writer.put("messages:\n");
  writer.put_lines(
      schedule.messages.size(),
      [&](std::string& text, std::size_t i) { append_message(text, schedule, MessageId(i), places); },
      [&](std::size_t i) __attribute__((always_inline)) {
        if (const auto payload = schedule.payload(MessageId(i)); !payload.empty())
          places.fetch(payload.front());
      });
}

void write_decisions(std::string& text, std::span<const Decision> decisions, const TaskGraph& graph) {
  if (decisions.empty()) return;
  const auto out = std::back_inserter(text);
  text += "decisions:\n";
  for (const Decision& decision : decisions) {
    fmt::format_to(out, "  - {{task: {}, {}: {}, start: {}, end: {}",
                   yaml_scalar(graph.task(decision.task).name), decision.is_cluster ? "cluster" : "processor",
                   decision.place, decision.start.count(), decision.end.count());
    if (!decision.reason.empty()) fmt::format_to(out, ", reason: {}", yaml_scalar(decision.reason));
    text += "}\n";
  }
}

/// Returns the part before the lists.
std::string properties(const Schedule& schedule, const TaskGraph& graph) {
  std::string text =
      fmt::format("scheduler: {}\nreplicas: {}\n", yaml_scalar(schedule.scheduler), schedule.replicas);
  if (schedule.least_repetition > Time{0})
    text += fmt::format("least_repetition: {}\n", schedule.least_repetition.count());
  if (schedule.repetition) text += fmt::format("repetition: {}\n", schedule.repetition->count());
  const auto add_tasks = [&](std::string_view key, const std::vector<TaskId>& tasks) {
    std::vector<std::string> names;
    for (const TaskId task : tasks) names.push_back(yaml_scalar(graph.task(task).name));
    if (!names.empty()) text += fmt::format("{}: [{}]\n", key, fmt::join(names, ", "));
  };
  add_tasks("whole_frames", schedule.whole_frames);
  add_tasks("travelling", schedule.travelling);
  if (const auto& bound = schedule.period_bound)
    text += bound->frames == 1 ? fmt::format("period_bound: {}\n", bound->time.count())
                               : fmt::format("period_bound: [{}, {}]\n", bound->time.count(), bound->frames);
  if (!schedule.period_bound_among.empty())
    text += fmt::format("period_bound_among: {}\n", yaml_scalar(schedule.period_bound_among));
  if (schedule.optimal) text += "optimal: true\n";
  if (!schedule.optimal_among.empty())
    text += fmt::format("optimal_among: {}\n", yaml_scalar(schedule.optimal_among));
  if (schedule.makespan_bound) text += fmt::format("makespan_bound: {}\n", schedule.makespan_bound->count());
  if (schedule.guarantee) text += fmt::format("guarantee: {}\n", *schedule.guarantee);
  return text;
}

void write_schedule(LineWriter& writer, const Schedule& schedule, const TaskGraph& graph,
                    const std::string& machine, std::span<const Decision> decisions,
                    std::span<const StreamRequirement> requirements) {
  std::string text = properties(schedule, graph);
  write_requirements(text, requirements);
  writer.put(text);
  write_operations(writer, schedule, graph);
  write_messages(writer, schedule, graph);
  write_devices(writer, schedule, graph);
  text.clear();
  write_decisions(text, decisions, graph);
  text += "machine:\n" + indented(machine, 2) + "graph:\n";
  writer.put(text);
  write_graph_yaml(writer, graph, "  ");
}

}  // namespace

std::string schedule_to_yaml(const Schedule& schedule, const TaskGraph& graph, const std::string& machine,
                             std::span<const Decision> decisions,
                             std::span<const StreamRequirement> requirements) {
  LineWriter writer;
  write_schedule(writer, schedule, graph, machine, decisions, requirements);
  return std::move(writer).take();
}

void schedule_to_yaml(std::ostream& out, const Schedule& schedule, const TaskGraph& graph,
                      const std::string& machine, std::span<const Decision> decisions) {
  LineWriter writer(&out);
  write_schedule(writer, schedule, graph, machine, decisions, {});
  writer.flush();
}

}  // namespace takt
