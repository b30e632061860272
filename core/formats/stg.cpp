#include "core/formats/stg.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "core/formats/graph_file_builder.hpp"

namespace takt {

namespace {

/// The whole numbers of each line in turn.
class Lines {
 public:
  Lines(std::string_view text, const GraphFileBuilder& builder) : rest_(text), builder_(builder) {}

  /// Moves to the next line that contains a number; returns false at the end of the text.
  bool next() {
    while (!rest_.empty()) {
      const std::size_t length = std::min(rest_.find('\n'), rest_.size());
      line_ = whole_line_ = rest_.substr(0, length);
      rest_.remove_prefix(std::min(length + 1, rest_.size()));
      ++number_;
      line_ = line_.substr(0, line_.find('#'));
      skip_blanks();
      if (!line_.empty()) return true;
    }
    return false;
  }

  [[nodiscard]] bool at_end_of_line() const { return line_.empty(); }
  [[nodiscard]] Place place() const {
    return {number_, static_cast<int>(line_.data() - whole_line_.data()) + 1};
  }

  /// Returns the next number of this line, in [0, most].
  std::int64_t number(std::string_view what, std::int64_t most) {
    if (line_.empty()) builder_.refuse(place(), fmt::format("expected {}, found the end of the line", what));
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(line_.data(), line_.data() + line_.size(), value);
    const bool ends_in_blank = end == line_.data() + line_.size() || is_blank(*end);
    if (error != std::errc{} || !ends_in_blank || value < 0 || value > most) {
      const auto word_end = std::find_if(line_.begin(), line_.end(), is_blank);
      builder_.refuse(place(), fmt::format("expected {}, a whole number from 0 to {}, found '{}'", what, most,
                                           excerpt({line_.begin(), word_end})));
    }
    line_.remove_prefix(static_cast<std::size_t>(end - line_.data()));
    skip_blanks();
    return value;
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f'; }
  void skip_blanks() {
    while (!line_.empty() && is_blank(line_.front())) line_.remove_prefix(1);
  }

  std::string_view rest_;
  std::string_view whole_line_, line_;
  const GraphFileBuilder& builder_;
  int number_ = 0;
};

/// An edge whose source may be defined later in the file.
struct Dependency {
  std::int64_t from;
  TaskId to;
  Bytes size;
  Place place;
};

constexpr std::int64_t largest_number = 1'000'000'000'000'000'000;

/// Reads the lines after a task's, each with a predecessor and the cost of its message.
void read_costs(Lines& lines, const GraphFileBuilder& builder, TaskId task, std::int64_t count,
                std::vector<Dependency>& dependencies) {
  if (!lines.at_end_of_line())
    builder.refuse(lines.place(),
                   "expected the end of the line: this file has one line per predecessor, with its cost");
  for (std::int64_t k = 0; k < count; ++k) {
    if (!lines.next())
      builder.refuse(lines.place(), fmt::format("expected {} more lines with a predecessor and its cost, "
                                                "found the end of the file",
                                                count - k));
    const Place at = lines.place();
    const std::int64_t from = lines.number("a predecessor", largest_number);
    const std::int64_t cost = lines.number("the cost of its message", largest_number);
    if (!lines.at_end_of_line())
      builder.refuse(lines.place(), "expected only a predecessor and its cost in the line");
    dependencies.push_back({from, task, Bytes{static_cast<std::uint64_t>(cost)}, at});
  }
}

/// Reports whether the graph already has the format's dummies.
bool has_dummies(const TaskGraph& graph) {
  if (graph.task_count() < 2) return false;
  const TaskId first(0), last(graph.task_count() - 1);
  const auto is_dummy = [&](TaskId id) { return graph.task(id).work == Time{0}; };
  return is_dummy(first) && is_dummy(last) && std::ranges::all_of(graph.tasks(), [&](TaskId id) {
           return graph.in_edges(id).empty() == (id == first) && graph.out_edges(id).empty() == (id == last);
         });
}

}  // namespace

TaskGraph graph_from_stg(std::string_view text, const std::string& file) {
  GraphFileBuilder builder(file);
  Lines lines(text, builder);
  if (!lines.next()) builder.refuse({1, 0}, "expected the number of tasks, found an empty file");
  const std::int64_t announced = lines.number("the number of tasks", largest_number);
  if (!lines.at_end_of_line()) (void)lines.number("a second number", largest_number);
  if (!lines.at_end_of_line()) builder.refuse(lines.place(), "expected one or two numbers in the first line");

  std::vector<Dependency> dependencies;
  std::optional<bool> has_costs;
  std::int64_t first = 0, next = 0, first_time = 0, last_time = 0;
  while (lines.next()) {
    const Place place = lines.place();
    const std::int64_t number = lines.number("a task's number", largest_number);
    if (next == 0 && number == 1) first = next = 1;
    if (number != next) builder.refuse(place, fmt::format("expected task {}, found task {}", next, number));
    const std::int64_t time = lines.number("a processing time", largest_number);
    if (next == first) first_time = time;
    last_time = time;
    const std::int64_t count = lines.number("the number of predecessors", largest_number);
    const TaskId id = builder.add_task({std::to_string(number), Time(time)}, place);
    // The first task with predecessors determines whether the file has communication costs.
    if (count > 0 && !has_costs) has_costs = lines.at_end_of_line();
    if (count > 0 && *has_costs)
      read_costs(lines, builder, id, count, dependencies);
    else
      for (std::int64_t k = 0; k < count; ++k) {
        const Place at = lines.place();
        dependencies.push_back({lines.number("a predecessor", largest_number), id, Bytes{0}, at});
      }
    if (!lines.at_end_of_line())
      builder.refuse(lines.place(),
                     fmt::format("task {} declares {} predecessors, but has more", number, count));
    ++next;
  }
  // With the entry, numbers 0 to n + 1; without it, 1 to n + 1. Some files include the dummies in their
  // count, or have none. Their last task is then a dummy or their first one is not, which distinguishes them
  // from a file truncated by two lines.
  const bool announces_all =
      first == 0 && next == announced && next > 0 && (last_time == 0 || first_time > 0);
  if (next != announced + 2 && !announces_all) {
    const std::string found = next == 0 ? "holds none" : fmt::format("ends with task {}", next - 1);
    builder.refuse(lines.place(),
                   fmt::format("the file declares {} tasks, so that the dummy exit is task {}, but {}",
                               announced, announced + 1, found));
  }
  for (const Dependency& dependency : dependencies) {
    if (dependency.from < first || dependency.from >= next)
      builder.refuse(dependency.place,
                     fmt::format("no task {}: expected {} to {}", dependency.from, first, next - 1));
    const TaskId from(static_cast<std::size_t>(dependency.from - first));
    builder.add_edge(builder.add_datum(from, dependency.size), dependency.to, dependency.place);
  }
  return std::move(builder).build();
}

std::string graph_to_stg(const TaskGraph& graph) {
  const bool add_dummies = !has_dummies(graph);
  const std::size_t shift = add_dummies ? 1 : 0;
  const std::size_t inner = graph.task_count() - (add_dummies ? 0 : 2);
  std::string text = fmt::format("{}\n", inner);
  const auto out = std::back_inserter(text);
  const auto write_task = [&](std::size_t number, Time time, const std::vector<std::size_t>& predecessors) {
    fmt::format_to(out, "{:>8} {:>10} {:>6}", number, time.count(), predecessors.size());
    for (std::size_t predecessor : predecessors) fmt::format_to(out, " {:>6}", predecessor);
    text += '\n';
  };

  std::vector<std::size_t> exits;
  if (add_dummies) write_task(0, Time{0}, {});
  for (TaskId id : graph.tasks()) {
    std::vector<std::size_t> predecessors;
    for (EdgeId edge : graph.in_edges(id)) predecessors.push_back(graph.edge(edge).from.index() + shift);
    if (add_dummies && predecessors.empty()) predecessors.push_back(0);
    if (graph.out_edges(id).empty()) exits.push_back(id.index() + shift);
    write_task(id.index() + shift, graph.task(id).work, predecessors);
  }
  if (add_dummies) {
    if (exits.empty()) exits.push_back(0);
    write_task(inner + 1, Time{0}, exits);
  }
  return text;
}

}  // namespace takt
