#include "schedulers/judge/schedule_lists.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <ostream>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/compile.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/counting_sort.hpp"
#include "core/formats/json_text.hpp"
#include "core/task_groups.hpp"

namespace takt::schedulers {

using Json = nlohmann::ordered_json;

namespace {

/// So many entries are longer than a line, whatever they hold.
constexpr std::size_t many_entries = 4;
/// What fits on a line stands on one, as in json_text().
constexpr std::size_t letters_of_line = 100;
/// Before each entry.
constexpr std::string_view margin = "\n    ";
constexpr std::size_t letters_at_once = std::size_t{1} << 16;

/// With several instances in a schedule, each object says which one it belongs to.
void add_instance(Json& object, const Schedule& schedule, std::uint32_t instance) {
  if (schedule.replicas > 1) object["instance"] = instance;
}

/// Appends a name in quotes.
void append_name(std::string& text, std::string_view name) {
  const bool is_plain =
      std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  if (is_plain)
    text.append("\"").append(name) += '"';
  else
    text += Json(name).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Appends the fields of one object, on one line or each on its own.
class Fields {
 public:
  enum class Layout : std::uint8_t { line, lines };

  Fields(std::string& text, Layout layout) : text_(text), layout_(layout) {}

  /// Appends the key; its value is to follow.
  std::string& begin(std::string_view key) {
    close_line();
    if (layout_ == Layout::lines)
      text_ += is_first_ ? "{\n      \"" : ",\n      \"";
    else
      text_ += is_first_ ? "{\"" : ", \"";
    is_first_ = false;
    line_ = text_.size() - 1;
    return text_.append(key).append("\": ");
  }
  void add(std::string_view key, std::int64_t number) {
    fmt::format_to(std::back_inserter(begin(key)), FMT_COMPILE("{}"), number);
  }
  void end() {
    close_line();
    text_ += layout_ == Layout::lines ? "\n    }" : "}";
  }
  /// Whether no field is longer than a line, so that a list in one would have to be on several.
  [[nodiscard]] bool fits() const { return longest_ + 6 <= letters_of_line; }

 private:
  void close_line() {
    if (!is_first_) longest_ = std::max(longest_, text_.size() - line_);
  }

  std::string& text_;
  Layout layout_;
  bool is_first_ = true;
  std::size_t line_ = 0, longest_ = 0;
};

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
  const Operation* operation = nullptr;
  std::uint32_t processor = 0;

  [[nodiscard]] Json to_json(const Schedule& schedule, const TaskGraph& graph) const {
    Json json{{"name", graph.task(operation->task()).name},
              {"processor", processor},
              {"start", operation->start.count()},
              {"end", operation->end.count()}};
    add_instance(json, schedule, operation->instance);
    return json;
  }
  void append(Fields& fields, const Schedule& schedule, const TaskGraph& graph) const {
    append_name(fields.begin("name"), graph.task(operation->task()).name);
    fields.add("processor", processor);
    fields.add("start", operation->start.count());
    fields.add("end", operation->end.count());
    if (schedule.replicas > 1) fields.add("instance", operation->instance);
  }
};

/// By instance and task. O(operations + tasks) where there is one instance.
std::vector<PlacedTask> placed_tasks(const Schedule& schedule, const TaskGraph& graph) {
  std::vector<PlacedTask> placed;
  for (std::size_t p = 0; p < schedule.processors.size(); ++p)
    for (const Operation& operation : schedule.processors[p])
      if (operation.kind == OperationKind::compute)
        placed.push_back({&operation, static_cast<std::uint32_t>(p)});
  placed = counting_sorted(std::move(placed), graph.task_count(),
                           [](const PlacedTask& each) { return each.operation->subject; });
  const auto instance = [](const PlacedTask& each) { return each.operation->instance; };
  if (!std::ranges::is_sorted(placed, {}, instance)) std::ranges::stable_sort(placed, {}, instance);
  return placed;
}

/// A message of one instance; of what a damaged schedule has not, nothing.
struct SentMessage {
  std::uint32_t message = 0, instance = 0;
  std::optional<Time> send, receive;

  /// Calls visit(name) for each of those whose data it carries.
  template <class Visit>
  void for_each_sender(const Schedule& schedule, const TaskGraph& graph, Visit visit) const {
    std::optional<TaskId> last;
    for (DatumId datum : schedule.payload(MessageId(message))) {
      const TaskId task = graph.datum_task(datum);
      if (task != last) visit(std::string_view(graph.task(task).name));
      last = task;
    }
  }
  [[nodiscard]] Json to_json(const Schedule& schedule, const TaskGraph& graph) const {
    const auto json_of = [](std::optional<Time> time) { return time ? Json(time->count()) : Json(); };
    const Message& its = schedule.message(MessageId(message));
    Json names = Json::array();
    for_each_sender(schedule, graph, [&](std::string_view name) { names.push_back(name); });
    Json json{{"from", its.from.index()}, {"to", its.to.index()},        {"tasks", std::move(names)},
              {"bytes", its.size.count},  {"send_start", json_of(send)}, {"recv_start", json_of(receive)}};
    add_instance(json, schedule, instance);
    return json;
  }
  void append(Fields& fields, const Schedule& schedule, const TaskGraph& graph) const {
    const Message& its = schedule.message(MessageId(message));
    fields.add("from", static_cast<std::int64_t>(its.from.index()));
    fields.add("to", static_cast<std::int64_t>(its.to.index()));
    std::string& text = fields.begin("tasks") += '[';
    for_each_sender(schedule, graph, [&](std::string_view name) {
      if (text.back() != '[') text += ", ";
      append_name(text, name);
    });
    text += ']';
    fmt::format_to(std::back_inserter(fields.begin("bytes")), FMT_COMPILE("{}"), its.size.count);
    add_start(fields, "send_start", send);
    add_start(fields, "recv_start", receive);
    if (schedule.replicas > 1) fields.add("instance", instance);
  }
  static void add_start(Fields& fields, std::string_view key, std::optional<Time> time) {
    if (time)
      fields.add(key, time->count());
    else
      fields.begin(key) += "null";
  }
};

/// Calls visit(operation) for each send and receive whose message there is.
template <class Visit>
void for_each_half(const Schedule& schedule, Visit visit) {
  for (const std::vector<Operation>& operations : schedule.processors)
    for (const Operation& operation : operations)
      if (operation.kind != OperationKind::compute && operation.subject < schedule.messages.size())
        visit(operation);
}

/// Those of a schedule of several instances, by message and instance. Of what a damaged schedule has twice,
/// the last one counts.
std::vector<SentMessage> sent_in_instances(const Schedule& schedule) {
  const std::size_t count = schedule.messages.size();
  // The operations by message: of each one from first[message] on.
  std::vector<std::uint32_t> first(count + 1, 0);
  for_each_half(schedule, [&](const Operation& operation) { ++first[operation.subject]; });
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<const Operation*> by_message(first.back());
  for_each_half(schedule,
                [&](const Operation& operation) { by_message[--first[operation.subject]] = &operation; });

  std::vector<SentMessage> sent;
  sent.reserve(count);
  for (std::uint32_t message = 0; message < count; ++message) {
    const auto own = std::span(by_message).subspan(first[message], first[message + 1] - first[message]);
    // The last ones stand first.
    if (!std::ranges::is_sorted(own, {}, &Operation::instance))
      std::ranges::stable_sort(own, {}, &Operation::instance);
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (i == 0 || own[i]->instance != own[i - 1]->instance) sent.push_back({message, own[i]->instance});
      std::optional<Time>& half =
          own[i]->kind == OperationKind::send ? sent.back().send : sent.back().receive;
      if (!half) half = own[i]->start;
    }
  }
  return sent;
}

/// All messages of a schedule that are sent or received, by message and instance. What it names and does not
/// have is left out. Of one instance only times are kept: there may be millions.
class SentMessages {
 public:
  explicit SentMessages(const Schedule& schedule) {
    bool is_one = true;
    for_each_half(schedule, [&](const Operation& operation) { is_one &= operation.instance == 0; });
    if (!is_one) {
      several_ = sent_in_instances(schedule);
      return;
    }
    for (Half& half : halves_) {
      half.start.resize(schedule.messages.size());
      half.is_there.resize(schedule.messages.size());
    }
    for_each_half(schedule, [&](const Operation& operation) {
      Half& half = halves_[operation.kind == OperationKind::send ? 0 : 1];
      half.start[operation.subject] = operation.start;
      half.is_there[operation.subject] = true;
    });
  }

  [[nodiscard]] std::size_t size() const {
    std::size_t count = 0;
    for_each([&](const SentMessage&) { ++count; });
    return count;
  }
  /// Calls visit(sent) for each.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const SentMessage& sent : several_) visit(sent);
    for (std::uint32_t message = 0; message < halves_[0].start.size(); ++message) {
      const SentMessage sent{message, 0, halves_[0].at(message), halves_[1].at(message)};
      if (sent.send || sent.receive) visit(sent);
    }
  }

 private:
  /// The sends, or the receives, of one instance.
  struct Half {
    std::vector<Time> start;
    std::vector<bool> is_there;
    [[nodiscard]] std::optional<Time> at(std::size_t message) const {
      return is_there[message] ? std::optional(start[message]) : std::nullopt;
    }
  };
  std::vector<SentMessage> several_;
  std::array<Half, 2> halves_;
};

/// The tasks of a schedule, likewise.
class PlacedTasks {
 public:
  PlacedTasks(const Schedule& schedule, const TaskGraph& graph) : placed_(placed_tasks(schedule, graph)) {}
  [[nodiscard]] std::size_t size() const { return placed_.size(); }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const PlacedTask& placed : placed_) visit(placed);
  }

 private:
  std::vector<PlacedTask> placed_;
};

template <class Entries>
Json list_json(const Entries& entries, const Schedule& schedule, const TaskGraph& graph) {
  Json list = Json::array();
  entries.for_each([&](const auto& entry) { list.push_back(entry.to_json(schedule, graph)); });
  return list;
}

/// On one line where it fits, or a line a field, as json_text() does.
template <class Entry>
void append_entry(const Entry& entry, const Schedule& schedule, const TaskGraph& graph, std::string& text) {
  const std::size_t begin = text.size();
  for (const Fields::Layout layout : {Fields::Layout::line, Fields::Layout::lines}) {
    Fields fields(text, layout);
    entry.append(fields, schedule, graph);
    fields.end();
    const bool is_line = layout == Fields::Layout::line;
    if (is_line ? margin.size() - 1 + text.size() - begin <= letters_of_line : fields.fits()) return;
    text.resize(begin);
  }
  append_json(entry.to_json(schedule, graph), 4, text);
}

template <class Entries>
void append_list(std::ostream& out, std::string& text, const Entries& entries, const Schedule& schedule,
                 const TaskGraph& graph) {
  if (entries.size() < many_entries) return append_json(list_json(entries, schedule, graph), 2, text);
  char separator = '[';
  entries.for_each([&](const auto& entry) {
    text += std::exchange(separator, ',');
    text += margin;
    append_entry(entry, schedule, graph, text);
    if (text.size() < letters_at_once) return;
    out << text;
    text.clear();
  });
  text += "\n  ]";
}

}  // namespace

Json tasks_json(const Schedule& schedule, const TaskGraph& graph) {
  if (runs_in_groups(graph, schedule)) return groups_json(schedule, graph);
  return list_json(PlacedTasks(schedule, graph), schedule, graph);
}

Json messages_json(const Schedule& schedule, const TaskGraph& graph) {
  return list_json(SentMessages(schedule), schedule, graph);
}

void append_tasks(std::ostream& out, std::string& text, const Schedule& schedule, const TaskGraph& graph) {
  if (runs_in_groups(graph, schedule)) return append_json(groups_json(schedule, graph), 2, text);
  append_list(out, text, PlacedTasks(schedule, graph), schedule, graph);
}

void append_messages(std::ostream& out, std::string& text, const Schedule& schedule, const TaskGraph& graph) {
  append_list(out, text, SentMessages(schedule), schedule, graph);
}

}  // namespace takt::schedulers
