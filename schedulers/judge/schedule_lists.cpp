#include "schedulers/judge/schedule_lists.hpp"

#include <algorithm>
#include <optional>
#include <ostream>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/formats/json_text.hpp"
#include "core/task_groups.hpp"

namespace takt::schedulers {

using Json = nlohmann::ordered_json;

namespace {

/// So many entries are longer than a line, whatever they hold.
constexpr std::size_t many_entries = 4;
/// What fits on a line stands on one, as in json_text().
constexpr std::size_t letters_of_line = 100;
constexpr std::size_t letters_at_once = std::size_t{1} << 16;

/// With several instances in a schedule, each object says which one it belongs to.
void add_instance(Json& object, const Schedule& schedule, std::uint32_t instance) {
  if (schedule.replicas > 1) object["instance"] = instance;
}
std::string instance_text(const Schedule& schedule, std::uint32_t instance) {
  return schedule.replicas > 1 ? fmt::format(", \"instance\": {}", instance) : std::string();
}

/// A name in quotes.
std::string in_quotes(std::string_view name) {
  const bool is_plain =
      std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  if (is_plain) return fmt::format("\"{}\"", name);
  return Json(name).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Where groups work on moldable tasks: one object a task, with its processors.
Json groups_json(const Schedule& schedule, const TaskGraph& graph) {
  const TaskGroups groups(graph, schedule);
  Json list = Json::array();
  for (std::uint32_t instance = 0; instance < schedule.replicas; ++instance)
    for (TaskId task : graph.tasks()) {
      const auto runs = groups.runs(task, instance);
      if (runs.empty()) continue;
      Json processors = Json::array();
      for (const TaskGroups::Run& run : runs) processors.push_back(run.processor.index());
      list.push_back({{"name", graph.task(task).name},
                      {"processors", std::move(processors)},
                      {"start", runs.front().operation->start.count()},
                      {"end", runs.front().operation->end.count()}});
      add_instance(list.back(), schedule, instance);
    }
  return list;
}

/// A task on its processor.
struct PlacedTask {
  const Operation* operation;
  std::uint32_t processor;

  [[nodiscard]] Json to_json(const Schedule& schedule, const TaskGraph& graph) const {
    Json json{{"name", graph.task(operation->task()).name},
              {"processor", processor},
              {"start", operation->start.count()},
              {"end", operation->end.count()}};
    add_instance(json, schedule, operation->instance);
    return json;
  }
  /// The same on one line.
  [[nodiscard]] std::string to_line(const Schedule& schedule, const TaskGraph& graph) const {
    return fmt::format("{{\"name\": {}, \"processor\": {}, \"start\": {}, \"end\": {}{}}}",
                       in_quotes(graph.task(operation->task()).name), processor, operation->start.count(),
                       operation->end.count(), instance_text(schedule, operation->instance));
  }
};

/// By instance and task.
std::vector<PlacedTask> placed_tasks(const Schedule& schedule) {
  std::vector<PlacedTask> placed;
  for (std::size_t p = 0; p < schedule.processors.size(); ++p)
    for (const Operation& operation : schedule.processors[p])
      if (operation.kind == OperationKind::compute)
        placed.push_back({&operation, static_cast<std::uint32_t>(p)});
  std::stable_sort(placed.begin(), placed.end(), [](const PlacedTask& a, const PlacedTask& b) {
    return std::pair(a.operation->instance, a.operation->subject) <
           std::pair(b.operation->instance, b.operation->subject);
  });
  return placed;
}

/// A message of one instance: when it is sent and received, where that is in the schedule.
struct SentMessage {
  std::uint32_t message = 0, instance = 0;
  std::optional<Time> send = {}, receive = {};

  [[nodiscard]] std::vector<std::string_view> senders(const Schedule& schedule,
                                                      const TaskGraph& graph) const {
    std::vector<std::string_view> names;
    for (DatumId datum : schedule.payload(MessageId(message)))
      names.push_back(graph.task(graph.datum_task(datum)).name);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }
  [[nodiscard]] Json to_json(const Schedule& schedule, const TaskGraph& graph) const {
    const auto time = [](std::optional<Time> each) { return each ? Json(each->count()) : Json(); };
    const Message& its = schedule.message(MessageId(message));
    Json json{{"from", its.from.index()}, {"to", its.to.index()},     {"tasks", senders(schedule, graph)},
              {"bytes", its.size.count},  {"send_start", time(send)}, {"recv_start", time(receive)}};
    add_instance(json, schedule, instance);
    return json;
  }
  [[nodiscard]] std::string to_line(const Schedule& schedule, const TaskGraph& graph) const {
    const auto time = [](std::optional<Time> each) {
      return each ? fmt::format("{}", each->count()) : std::string("null");
    };
    const Message& its = schedule.message(MessageId(message));
    std::vector<std::string> names;
    for (std::string_view name : senders(schedule, graph)) names.push_back(in_quotes(name));
    return fmt::format(
        "{{\"from\": {}, \"to\": {}, \"tasks\": [{}], \"bytes\": {}, \"send_start\": {}, \"recv_start\": "
        "{}{}}}",
        its.from.index(), its.to.index(), fmt::join(names, ", "), its.size.count, time(send), time(receive),
        instance_text(schedule, instance));
  }
};

/// By message and instance.
std::vector<SentMessage> sent_messages(const Schedule& schedule) {
  std::vector<SentMessage> sent;
  const auto key = [](const SentMessage& each) { return std::pair(each.message, each.instance); };
  for (const OperationKind kind : {OperationKind::send, OperationKind::receive}) {
    const auto known = static_cast<std::ptrdiff_t>(sent.size());
    for (const std::vector<Operation>& operations : schedule.processors)
      for (const Operation& operation : operations) {
        if (operation.kind != kind) continue;
        if (kind == OperationKind::send) {
          sent.push_back({operation.subject, operation.instance, operation.start});
          continue;
        }
        const SentMessage received{operation.subject, operation.instance, {}, operation.start};
        const auto half =
            std::lower_bound(sent.begin(), sent.begin() + known, received,
                             [&](const SentMessage& a, const SentMessage& b) { return key(a) < key(b); });
        if (half != sent.begin() + known && key(*half) == key(received))
          half->receive = operation.start;
        else
          sent.push_back(received);
      }
    std::ranges::stable_sort(sent, {}, key);
    // Of what a damaged schedule has twice, the last one counts.
    for (std::size_t i = 1; i < sent.size(); ++i)
      if (key(sent[i]) == key(sent[i - 1])) sent[i - 1].message = ~std::uint32_t{0};
    std::erase_if(sent, [](const SentMessage& each) { return each.message == ~std::uint32_t{0}; });
  }
  return sent;
}

template <class Entry>
Json list_json(const std::vector<Entry>& entries, const Schedule& schedule, const TaskGraph& graph) {
  Json list = Json::array();
  for (const Entry& entry : entries) list.push_back(entry.to_json(schedule, graph));
  return list;
}

template <class Entry>
void append_list(std::ostream& out, std::string& text, const std::vector<Entry>& entries,
                 const Schedule& schedule, const TaskGraph& graph) {
  constexpr std::string_view margin = "\n    ";
  if (entries.size() < many_entries) return append_json(list_json(entries, schedule, graph), 2, text);
  text += '[';
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i > 0) text += ',';
    text += margin;
    const std::string line = entries[i].to_line(schedule, graph);
    if (margin.size() - 1 + line.size() <= letters_of_line)
      text += line;
    else
      append_json(entries[i].to_json(schedule, graph), 4, text);
    if (text.size() < letters_at_once) continue;
    out << text;
    text.clear();
  }
  text += "\n  ]";
}

}  // namespace

Json tasks_json(const Schedule& schedule, const TaskGraph& graph) {
  if (runs_in_groups(graph, schedule)) return groups_json(schedule, graph);
  return list_json(placed_tasks(schedule), schedule, graph);
}

Json messages_json(const Schedule& schedule, const TaskGraph& graph) {
  return list_json(sent_messages(schedule), schedule, graph);
}

void append_tasks(std::ostream& out, std::string& text, const Schedule& schedule, const TaskGraph& graph) {
  if (runs_in_groups(graph, schedule)) return append_json(groups_json(schedule, graph), 2, text);
  append_list(out, text, placed_tasks(schedule), schedule, graph);
}

void append_messages(std::ostream& out, std::string& text, const Schedule& schedule, const TaskGraph& graph) {
  append_list(out, text, sent_messages(schedule), schedule, graph);
}

}  // namespace takt::schedulers
