#include "schedulers/judge/schedule_lists.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <ostream>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/counting_sort.hpp"
#include "core/formats/json_text.hpp"
#include "core/formats/letters.hpp"
#include "core/graphs/task_groups.hpp"
#include "core/system/in_parallel.hpp"

namespace takt::schedulers {

using Json = nlohmann::ordered_json;

namespace {

/// This many entries are longer than a line, whatever they hold.
constexpr std::size_t many_entries = 4;
/// Longest object on one line, as in json_text().
constexpr std::size_t letters_of_line = 100;
/// Before each entry.
constexpr std::string_view margin = "\n    ";
/// Entries formatted at a time: some milliseconds and megabytes.
constexpr std::size_t entries_at_once = std::size_t{1} << 14;

/// With several instances in a schedule, each object has the number of its instance.
void add_instance(Json& object, const Schedule& schedule, std::uint32_t instance) {
  if (schedule.replicas > 1) object["instance"] = instance;
}

/// A text buffer for appending without the checks of std::string.
class Letters {
 public:
  void put(std::string_view text) {
    std::memcpy(room(text.size()), text.data(), text.size());
    size_ += text.size();
  }
  /// In quotes.
  void put_name(std::string_view name) {
    const bool is_plain =
        std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
    if (!is_plain) return put(Json(name).dump(-1, ' ', false, Json::error_handler_t::replace));
    put("\"");
    put(name);
    put("\"");
  }
  void clear() { size_ = 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::string_view view() const { return std::string_view(letters_).substr(0, size_); }

  /// Returns space for this many characters; end_at() then sets the new end of the text.
  char* room(std::size_t count) {
    if (letters_.size() < size_ + count) [[unlikely]]
      letters_.resize(2 * (size_ + count));
    return letters_.data() + size_;
  }
  void end_at(const char* end) { size_ = static_cast<std::size_t>(end - letters_.data()); }

 private:
  std::string letters_;
  std::size_t size_ = 0;
};

/// A key with quotes and colon.
struct Key : Few<16> {
  consteval explicit Key(std::string_view name) : Few("\"", name, "\": ") {}
};

/// One object: collects its fields, then writes them on one line or, if that is too long, on one line each.
class Fields {
 public:
  void add(const Key& key, std::integral auto number) {
    const auto size = static_cast<std::uint64_t>(number);
    const bool is_negative = std::cmp_less(number, 0);
    Field& field = next(key);
    field.number = is_negative ? 0 - size : size;
    field.is_negative = is_negative;
    field.length = digits_of(field.number) + (is_negative ? 1 : 0);
  }
  /// The text must stay valid until put().
  void add(const Key& key, std::string_view text) {
    Field& field = next(key);
    field.text = text;
    field.length = text.size();
  }
  /// Empty buffer for composed values.
  [[nodiscard]] Letters& scratch() {
    scratch_.clear();
    return scratch_;
  }

  /// Writes and clears the collected fields. Writes nothing and returns false if a field is longer than a
  /// line, so that a list in it would need several lines.
  [[nodiscard]] bool put(Letters& text) {
    std::size_t all = 0, longest = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t own = fields_[i].key->size() + fields_[i].length;
      all += own;
      longest = std::max(longest, own);
    }
    const std::size_t count = std::exchange(count_, 0), on_line = all + 2 * count;
    const bool is_one_line = margin.size() - 1 + on_line <= letters_of_line;
    if (!is_one_line && longest + 6 > letters_of_line) return false;
    const Few<8>&first = is_one_line ? first_on_line : first_of_lines,
          &between = is_one_line ? between_on_line : between_lines,
          &last = is_one_line ? last_on_line : last_of_lines;
    // Includes the bytes that write() copies beyond each part.
    char* at = text.room(all + (count + 2) * 8 + 16);
    at = first.write(at);
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) at = between.write(at);
      at = write(fields_[i], at);
    }
    text.end_at(last.write(at));
    return true;
  }

 private:
  struct Field {
    const Key* key = nullptr;
    /// Empty for numbers.
    std::string_view text;
    std::uint64_t number = 0;
    std::size_t length = 0;
    bool is_negative = false;
  };

  Field& next(const Key& key) {
    Field& field = fields_[count_++];
    field.key = &key;
    field.text = {};
    return field;
  }
  static char* write(const Field& field, char* at) {
    at = field.key->write(at);
    if (field.text.data() != nullptr) {
      std::memcpy(at, field.text.data(), field.length);
      return at + field.length;
    }
    if (field.is_negative) *at++ = '-';
    return write_digits(at, field.number, field.length - (field.is_negative ? 1 : 0));
  }

  static constexpr Few<8> first_on_line{"{"}, between_on_line{", "}, last_on_line{"}"},
      first_of_lines{"{\n      "}, between_lines{",\n      "}, last_of_lines{"\n    }"};

  std::array<Field, 8> fields_;
  std::size_t count_ = 0;
  Letters scratch_;
};

constexpr Key name_key{"name"}, processor_key{"processor"}, start_key{"start"}, end_key{"end"},
    instance_key{"instance"}, from_key{"from"}, to_key{"to"}, tasks_key{"tasks"}, bytes_key{"bytes"},
    send_start_key{"send_start"}, receive_start_key{"recv_start"};

/// For groups on moldable tasks: one object per task, with its processors.
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
    Letters& name = fields.scratch();
    name.put_name(graph.task(operation->task()).name);
    fields.add(name_key, name.view());
    fields.add(processor_key, processor);
    fields.add(start_key, operation->start.count());
    fields.add(end_key, operation->end.count());
    if (schedule.replicas > 1) fields.add(instance_key, std::uint32_t{operation->instance});
  }
};

/// By instance and task. O(operations + tasks) for one instance.
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

/// A message of one instance; fields that a damaged schedule lacks are empty.
struct SentMessage {
  std::uint32_t message = 0, instance = 0;
  std::optional<Time> send, receive;

  /// Calls visit(name) for each task whose data it carries.
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
    fields.add(from_key, its.from.index());
    fields.add(to_key, its.to.index());
    Letters& names = fields.scratch();
    std::string_view before = "[";
    for_each_sender(schedule, graph, [&](std::string_view name) {
      names.put(std::exchange(before, ", "));
      names.put_name(name);
    });
    names.put(before == "[" ? "[]" : "]");
    fields.add(tasks_key, names.view());
    fields.add(bytes_key, its.size.count);
    add_start(fields, send_start_key, send);
    add_start(fields, receive_start_key, receive);
    if (schedule.replicas > 1) fields.add(instance_key, instance);
  }
  static void add_start(Fields& fields, const Key& key, std::optional<Time> time) {
    if (time)
      fields.add(key, time->count());
    else
      fields.add(key, "null");
  }
};

/// Calls visit(operation) for each send and receive whose message exists.
template <class Visit>
void for_each_half(const Schedule& schedule, Visit visit) {
  for (const std::vector<Operation>& operations : schedule.processors)
    for (const Operation& operation : operations)
      if (operation.kind != OperationKind::compute && operation.subject < schedule.messages.size())
        visit(operation);
}

/// Returns the messages of a schedule of several instances, by message and instance. Of duplicates in a
/// damaged schedule, the last one counts.
std::vector<SentMessage> sent_in_instances(const Schedule& schedule) {
  const std::size_t count = schedule.messages.size();
  // The operations by message: those of a message start at first[message].
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
    const auto instance = [](const Operation* each) { return std::uint32_t{each->instance}; };
    if (!std::ranges::is_sorted(own, {}, instance)) std::ranges::stable_sort(own, {}, instance);
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (i == 0 || own[i]->instance != own[i - 1]->instance) sent.push_back({message, own[i]->instance});
      std::optional<Time>& half =
          own[i]->kind == OperationKind::send ? sent.back().send : sent.back().receive;
      if (!half) half = own[i]->start;
    }
  }
  return sent;
}

/// All messages of a schedule that are sent or received, by message and instance. References to missing
/// messages are left out. For one instance only times are kept: there may be millions.
class SentMessages {
 public:
  explicit SentMessages(const Schedule& schedule) {
    for (Half& half : halves_) {
      half.start.resize(schedule.messages.size());
      half.is_there.resize(schedule.messages.size());
    }
    bool is_one = true;
    for_each_half(schedule, [&](const Operation& operation) {
      is_one &= operation.instance == 0;
      Half& half = halves_[operation.kind == OperationKind::send ? 0 : 1];
      half.start[operation.subject] = operation.start;
      half.is_there[operation.subject] = true;
    });
    if (is_one) return;
    halves_ = {};
    several_ = sent_in_instances(schedule);
  }

  /// Numbers go from 0 up to this; some may be unused.
  [[nodiscard]] std::size_t numbers() const { return several_.size() + halves_[0].start.size(); }
  /// Prefetches the names of the tasks whose data the messages carry: many in parallel, as the loop is short.
  /// (Inlined, because GCC drops calls to a function of prefetches as without effect.)
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

/// The tasks of a schedule, with the same interface.
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

/// Writes an entry on one line if it fits, otherwise one line per field, as json_text() does.
template <class Entry>
void put_entry(const Entry& entry, const Schedule& schedule, const TaskGraph& graph, Fields& fields,
               Letters& text) {
  entry.append(fields, schedule, graph);
  if (fields.put(text)) return;
  std::string lines(margin);
  append_json(entry.to_json(schedule, graph), 4, lines);
  text.put(std::string_view(lines).substr(margin.size()));
}

/// Writes a range of entries, each after a comma. Their data are scattered in memory: prefetching several at
/// a time overlaps the cache misses.
template <class Entries>
void put_entries(Letters& text, const Entries& entries, std::size_t begin, std::size_t end,
                 const Schedule& schedule, const TaskGraph& graph) {
  static constexpr Few<8> before_entry(",", margin);
  constexpr std::size_t fetched_at_once = 64;
  Fields fields;
  text.clear();
  for (std::size_t first = begin; first < end; first += fetched_at_once) {
    const std::size_t last = std::min(first + fetched_at_once, end);
    entries.fetch(first, last, schedule, graph);
    entries.for_each(first, last, [&](const auto& entry) {
      text.end_at(before_entry.write(text.room(8)));
      put_entry(entry, schedule, graph, fields, text);
    });
  }
}

/// Formats some entries while the previous ones are written.
template <class Entries>
void append_list(std::ostream& out, std::string& text, const Entries& entries, const Schedule& schedule,
                 const TaskGraph& graph) {
  const std::size_t size = entries.numbers();
  std::size_t count = 0;
  entries.for_each(0, size, [&](const auto&) { ++count; });
  if (count < many_entries) return append_json(list_json(entries, schedule, graph), 2, text);
  out << text << '[';
  bool is_first = true;
  std::array<Letters, 2> formatted, before;
  const auto write = [&] {
    for (const Letters& letters : before)
      if (letters.size() > 0) out << letters.view().substr(std::exchange(is_first, false) ? 1 : 0);
  };
  for (std::size_t begin = 0; begin < size; begin += 2 * entries_at_once) {
    const std::size_t middle = std::min(begin + entries_at_once, size),
                      end = std::min(middle + entries_at_once, size);
    in_parallel_if(middle < end,
                   {[&] { put_entries(formatted[0], entries, begin, middle, schedule, graph); },
                    [&] { put_entries(formatted[1], entries, middle, end, schedule, graph); }, write});
    formatted.swap(before);
  }
  write();
  text = "\n  ]";
}

}  // namespace

Json tasks_json(const Schedule& schedule, const TaskGraph& graph) {
  if (runs_in_groups(graph, schedule)) return groups_json(schedule, graph);
  return list_json(PlacedTasks(schedule, graph), schedule, graph);
}

Json messages_json(const Schedule& schedule, const TaskGraph& graph) {
  return list_json(SentMessages(schedule), schedule, graph);
}

struct ScheduleLists::Entries {
  std::optional<SentMessages> messages;
  /// Empty if groups work on moldable tasks.
  std::optional<PlacedTasks> tasks;
};

ScheduleLists::ScheduleLists(const Schedule& schedule, const TaskGraph& graph)
    : schedule_(schedule), graph_(graph) {
  auto entries = std::make_unique<Entries>();
  in_parallel_if(graph.task_count() >= entries_at_once, {[&] { entries->messages.emplace(schedule); },
                                                         [&] {
                                                           if (!runs_in_groups(graph, schedule))
                                                             entries->tasks.emplace(schedule, graph);
                                                         }});
  entries_ = std::move(entries);
}

ScheduleLists::~ScheduleLists() = default;

void ScheduleLists::append_tasks(std::ostream& out, std::string& text) const {
  if (!entries_->tasks) return append_json(groups_json(schedule_, graph_), 2, text);
  append_list(out, text, *entries_->tasks, schedule_, graph_);
}

void ScheduleLists::append_messages(std::ostream& out, std::string& text) const {
  append_list(out, text, *entries_->messages, schedule_, graph_);
}

}  // namespace takt::schedulers
