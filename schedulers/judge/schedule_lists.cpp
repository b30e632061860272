#include "schedulers/judge/schedule_lists.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <ostream>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/counting_sort.hpp"
#include "core/formats/json_text.hpp"
#include "core/in_parallel.hpp"
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
/// So many are formatted at a time, which takes some milliseconds and megabytes.
constexpr std::size_t entries_at_once = std::size_t{1} << 14;

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

/// The fields of one object, as text that is put together when its length is known.
class Fields {
 public:
  /// Its value is what is appended to the text before the next field begins.
  std::string& begin(std::string_view key) {
    fields_[count_++] = {key, values_.size()};
    return values_;
  }
  void add(std::string_view key, std::int64_t number) {
    const fmt::format_int digits(number);
    begin(key).append(digits.data(), digits.size());
  }
  void clear() {
    values_.clear();
    count_ = 0;
  }

  /// Appends the object on one line where that is short enough, or each field on its own. False, and nothing,
  /// where a field is longer than a line, so that a list in one would have to be on several.
  [[nodiscard]] bool append_to(std::string& text) const {
    std::size_t line = margin.size() - 1, longest = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t length = fields_[i].key.size() + value(i).size() + std::string_view("'': ").size();
      line += length + std::string_view(", ").size();
      longest = std::max(longest, length);
    }
    // The two braces take the place of a comma.
    if (line <= letters_of_line) {
      append(text, "{", ", ", "}");
      return true;
    }
    if (longest + 6 > letters_of_line) return false;
    append(text, "{\n      ", ",\n      ", "\n    }");
    return true;
  }

 private:
  [[nodiscard]] std::string_view value(std::size_t i) const {
    const std::size_t begin = fields_[i].value, end = i + 1 < count_ ? fields_[i + 1].value : values_.size();
    return std::string_view(values_).substr(begin, end - begin);
  }
  void append(std::string& text, std::string_view first, std::string_view between,
              std::string_view last) const {
    for (std::size_t i = 0; i < count_; ++i) {
      text += i == 0 ? first : between;
      text += '"';
      text.append(fields_[i].key).append("\": ").append(value(i));
    }
    text += last;
  }

  struct Field {
    std::string_view key;
    /// Where its value begins.
    std::size_t value = 0;
  };
  std::array<Field, 8> fields_;
  std::size_t count_ = 0;
  std::string values_;
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
    std::string& text = fields.begin("tasks");
    text += '[';
    for_each_sender(schedule, graph, [&](std::string_view name) {
      if (text.back() != '[') text += ", ";
      append_name(text, name);
    });
    text += ']';
    const fmt::format_int bytes(its.size.count);
    fields.begin("bytes").append(bytes.data(), bytes.size());
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

  /// They are numbered from 0 on, up to this; some numbers may be nobody's.
  [[nodiscard]] std::size_t numbers() const { return several_.size() + halves_[0].start.size(); }
  /// Has the names of the tasks whose data they carry come from memory: many at once, for the loop is short.
  /// (Not inlined, GCC takes a function of prefetches for one without effect.)
  [[gnu::always_inline]] void fetch(std::size_t begin, std::size_t end, const Schedule& schedule,
                                    const TaskGraph& graph) const {
    for (std::size_t i = begin; i < end; ++i) {
      const auto payload = schedule.payload(MessageId(several_.empty() ? i : several_[i].message));
      if (!payload.empty()) __builtin_prefetch(&graph.task(graph.datum_task(payload.front())));
    }
  }
  /// Calls visit(sent) for each of a range of numbers.
  template <class Visit>
  void for_each(std::size_t begin, std::size_t end, Visit visit) const {
    for (std::size_t i = begin; i < end; ++i) {
      if (!several_.empty()) {
        visit(several_[i]);
        continue;
      }
      const SentMessage sent{static_cast<std::uint32_t>(i), 0, halves_[0].at(i), halves_[1].at(i)};
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
  [[nodiscard]] std::size_t numbers() const { return placed_.size(); }
  [[gnu::always_inline]] void fetch(std::size_t begin, std::size_t end, const Schedule&,
                                    const TaskGraph&) const {
    for (std::size_t i = begin; i < end; ++i) __builtin_prefetch(placed_[i].operation);
  }
  template <class Visit>
  void for_each(std::size_t begin, std::size_t end, Visit visit) const {
    for (std::size_t i = begin; i < end; ++i) visit(placed_[i]);
  }

 private:
  std::vector<PlacedTask> placed_;
};

template <class Entries>
Json list_json(const Entries& entries, const Schedule& schedule, const TaskGraph& graph) {
  Json list = Json::array();
  entries.for_each(0, entries.numbers(),
                   [&](const auto& entry) { list.push_back(entry.to_json(schedule, graph)); });
  return list;
}

/// On one line where it fits, or a line a field, as json_text() does.
template <class Entry>
void append_entry(const Entry& entry, const Schedule& schedule, const TaskGraph& graph, Fields& fields,
                  std::string& text) {
  fields.clear();
  entry.append(fields, schedule, graph);
  if (!fields.append_to(text)) append_json(entry.to_json(schedule, graph), 4, text);
}

/// Appends those of a range of numbers, each behind a comma, which is not for the first one of all. What they
/// tell of lies all over the memory: it is fetched for some at a time, so that one does not wait behind the
/// other.
template <class Entries>
void append_entries(std::string& text, const Entries& entries, std::size_t begin, std::size_t end,
                    const Schedule& schedule, const TaskGraph& graph) {
  constexpr std::size_t fetched_at_once = 64;
  Fields fields;
  for (std::size_t first = begin; first < end; first += fetched_at_once) {
    const std::size_t last = std::min(first + fetched_at_once, end);
    entries.fetch(first, last, schedule, graph);
    entries.for_each(first, last, [&](const auto& entry) {
      text += ',';
      text += margin;
      append_entry(entry, schedule, graph, fields, text);
    });
  }
}

template <class Entries>
void append_list(std::ostream& out, std::string& text, const Entries& entries, const Schedule& schedule,
                 const TaskGraph& graph) {
  const std::size_t size = entries.numbers();
  std::size_t count = 0;
  entries.for_each(0, size, [&](const auto&) { ++count; });
  if (count < many_entries) return append_json(list_json(entries, schedule, graph), 2, text);
  text += '[';
  bool is_first = true;
  std::string here, beside;
  for (std::size_t begin = 0; begin < size; begin += 2 * entries_at_once) {
    const std::size_t middle = std::min(begin + entries_at_once, size),
                      end = std::min(middle + entries_at_once, size);
    in_parallel_if(
        middle < end, [&] { append_entries(here, entries, begin, middle, schedule, graph); },
        [&] { append_entries(beside, entries, middle, end, schedule, graph); });
    for (std::string* entries_text : {&here, &beside}) {
      if (entries_text->empty()) continue;
      out << text << std::string_view(*entries_text).substr(std::exchange(is_first, false) ? 1 : 0);
      entries_text->clear();
      text.clear();
    }
  }
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
