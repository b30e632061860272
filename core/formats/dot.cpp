#include "core/formats/dot.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/dot_syntax.hpp"

namespace takt {

namespace {

constexpr std::array weight_names{"Weight", "weight", "size"};
constexpr double largest_weight = 1e18;

/// Interprets the attributes of one file.
class DotReader {
 public:
  DotReader(std::string_view text, const std::string& file)
      : syntax_(parse_dot(text, file)), builder_(file), file_(file) {}

  DotFile read() && {
    for (const DotNode& node : syntax_.nodes) {
      has_weights_ = has_weights_ || find_weight(node.attributes) || find(node.attributes, "Works");
      is_simgrid_ = is_simgrid_ || (find(node.attributes, "size") && !find(node.attributes, "Weight"));
    }
    if (syntax_.is_undirected) builder_.set_undirected();
    for (const DotNode& node : syntax_.nodes) read_node(node);
    // Edges of one task with the same `Datum` share it; keyed by task and that text.
    std::map<std::pair<std::size_t, std::string>, DatumId> shared;
    for (const DotEdge& edge : syntax_.edges) read_edge(edge, shared);
    std::optional<EmbeddedSchedule> schedule;
    if (const DotValue* length = find(syntax_.attributes, "Total schedule length"))
      schedule = read_schedule(*length);
    return {std::move(builder_).build(), std::move(schedule), notes()};
  }

 private:
  [[nodiscard]] std::vector<std::string> notes() const {
    std::vector<std::string> result;
    if (!has_weights_ && !syntax_.nodes.empty())
      result.push_back(
          fmt::format("{}: no node has a weight: each task gets work 1; for another default add node "
                      "[Weight=N] to the graph",
                      file_));
    if (rounded_ > 0)
      result.push_back(fmt::format("{}: {} weights are rounded to whole numbers, by up to {:.3g} %", file_,
                                   rounded_, 100 * largest_change_));
    return result;
  }

  static const DotValue* find(const DotAttributes& attributes, std::string_view name) {
    const auto found = attributes.find(name);
    return found == attributes.end() ? nullptr : &found->second;
  }

  static const DotValue* find_weight(const DotAttributes& attributes) {
    for (const char* name : weight_names)
      if (const DotValue* value = find(attributes, name)) return value;
    return nullptr;
  }

  /// Parses a non-negative number and rounds it to nearest.
  std::int64_t weight(const DotValue& value) {
    const char* const end = value.text.data() + value.text.size();
    double real = 0;
    const auto [rest, error] = std::from_chars(value.text.data(), end, real);
    if (error != std::errc{} || rest != end || !(real >= 0 && real <= largest_weight))
      builder_.refuse(value.place, fmt::format("'{}' is not a valid weight: expected a number from 0 to {}",
                                               excerpt(value.text), largest_weight));
    // Doubles represent whole numbers exactly up to 2^53 only, 64-bit integers all given ones.
    std::int64_t number = 0;
    if (std::from_chars(value.text.data(), end, number).ptr == end) return number;
    number = std::llround(real);
    if (static_cast<double>(number) != real) {
      ++rounded_;
      largest_change_ = std::max(largest_change_, std::abs(static_cast<double>(number) - real) / real);
    }
    return number;
  }

  /// Parses a non-negative whole number.
  std::int64_t whole(const DotValue& value, std::string_view what) const {
    const char* const end = value.text.data() + value.text.size();
    std::int64_t number = 0;
    if (const auto [rest, error] = std::from_chars(value.text.data(), end, number);
        error == std::errc{} && rest == end && number >= 0)
      return number;
    builder_.refuse(value.place,
                    fmt::format("'{}' is not a valid {}: expected a whole number that is not negative",
                                excerpt(value.text), what));
  }

  void read_node(const DotNode& node) {
    Task task{node.name, Time{0}, false};
    if (const DotValue* stateless = find(node.attributes, "Stateless")) {
      if (stateless->text != "true" && stateless->text != "false")
        builder_.refuse(stateless->place,
                        fmt::format("Stateless is '{}': expected true or false", stateless->text));
      task.stateless = stateless->text == "true";
    }
    if (const DotValue* works = find(node.attributes, "Works")) {
      const TaskId id = builder_.add_task(std::move(task), node.place);
      builder_.set_work_table(id, read_works(*works));
      return;
    }
    const DotValue* written = find_weight(node.attributes);
    const bool is_mark = is_simgrid_ && (node.name == "root" || node.name == "end");
    if (written != nullptr)
      task.work = Time(weight(*written));
    else if (!has_weights_)
      task.work = Time{1};
    else if (!is_mark)
      builder_.refuse(node.place, fmt::format("node '{}' has no Weight, or is not declared", node.name));
    if (const DotValue* alpha = find(node.attributes, "alpha"))
      task.moldable = MoldableProfile{serial(*alpha), {}};
    builder_.add_task(std::move(task), node.place);
  }

  double serial(const DotValue& value) const {
    const char* const end = value.text.data() + value.text.size();
    double number = 0;
    const auto [rest, error] = std::from_chars(value.text.data(), end, number);
    if (error != std::errc{} || rest != end || !(number >= 0 && number <= 1))
      builder_.refuse(value.place,
                      fmt::format("alpha is '{}': expected a number from 0 to 1", excerpt(value.text)));
    return number;
  }

  std::vector<Time> read_works(const DotValue& works) const {
    std::vector<Time> times;
    std::string_view rest = works.text;
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
      times.emplace_back(whole({std::string(word), works.place}, "work"));
    }
    return times;
  }

  void read_edge(const DotEdge& edge, std::map<std::pair<std::size_t, std::string>, DatumId>& shared) {
    const Bytes size = edge_size(find_weight(edge.attributes));
    const DotValue* label = find(edge.attributes, "Datum");
    if (label == nullptr)
      return builder_.add_edge(builder_.add_datum(TaskId(edge.from), size), TaskId(edge.to), edge.place);
    const auto [entry, is_new] = shared.try_emplace({edge.from, label->text});
    if (is_new) {
      entry->second = builder_.add_datum(TaskId(edge.from), size);
      sizes_of_shared_.emplace(entry->second, size);
    } else if (sizes_of_shared_.at(entry->second) != size) {
      builder_.refuse(edge.place,
                      fmt::format("edges of '{}' with Datum={} carry the same datum, but their sizes differ",
                                  syntax_.nodes[edge.from].name, label->text));
    }
    builder_.add_edge(entry->second, TaskId(edge.to), edge.place);
  }

  Bytes edge_size(const DotValue* written) {
    if (written == nullptr) return Bytes{is_simgrid_ ? 0U : 1U};
    double real = 0;
    const char* const end = written->text.data() + written->text.size();
    if (is_simgrid_ && std::from_chars(written->text.data(), end, real).ptr == end && real < 0)
      return Bytes{0};
    return Bytes{static_cast<std::uint64_t>(weight(*written))};
  }

  EmbeddedSchedule read_schedule(const DotValue& length) const {
    EmbeddedSchedule schedule;
    schedule.length = Time(whole(length, "schedule length"));
    constexpr std::string_view homogeneous = "Homogeneous-";
    const DotValue* target = find(syntax_.attributes, "TargetSystem");
    if (target == nullptr || !target->text.starts_with(homogeneous))
      builder_.refuse(target == nullptr ? length.place : target->place,
                      "a schedule needs TargetSystem=\"Homogeneous-P\" with P processors");
    schedule.processor_count = static_cast<std::size_t>(
        whole({target->text.substr(homogeneous.size()), target->place}, "number of processors"));
    for (const DotNode& node : syntax_.nodes) {
      const auto require = [&](std::string_view name) {
        const DotValue* value = find(node.attributes, name);
        if (value == nullptr)
          builder_.refuse(node.place,
                          fmt::format("the graph has a schedule, but node '{}' no '{}'", node.name, name));
        return whole(*value, name);
      };
      const std::int64_t processor = require("Processor");
      if (static_cast<std::size_t>(processor) >= schedule.processor_count)
        builder_.refuse(node.place,
                        fmt::format("node '{}' runs on processor {}, but they go from 0 to {}", node.name,
                                    processor, static_cast<std::int64_t>(schedule.processor_count) - 1));
      schedule.placements.push_back({ProcessorId(static_cast<std::size_t>(processor)),
                                     Time(require("Start time")), Time(require("Finish time"))});
    }
    return schedule;
  }

  DotSyntax syntax_;
  GraphFileBuilder builder_;
  const std::string& file_;
  std::map<DatumId, Bytes> sizes_of_shared_;
  bool has_weights_ = false, is_simgrid_ = false;
  /// Number of rounded fractions, and the largest relative change by rounding.
  std::size_t rounded_ = 0;
  double largest_change_ = 0;
};

/// Escapes a name for a label, where backslashes have a meaning.
std::string label_text(std::string_view name) {
  std::string text;
  for (char c : name) {
    if (c == '\\') text += '\\';
    text += c;
  }
  return text;
}

}  // namespace

DotFile read_dot(std::string_view text, const std::string& file) {
  return DotReader(text, file).read();
}

TaskGraph graph_from_dot(std::string_view text, const std::string& file) {
  return read_dot(text, file).graph;
}

std::string graph_to_dot(const TaskGraph& graph) {
  std::vector<std::size_t> edges_of_datum(graph.datum_count(), 0);
  for (EdgeId id : graph.edges()) ++edges_of_datum[graph.edge(id).datum.index()];

  std::string text = fmt::format("{} takt {{\n  node [shape=box, style=rounded];\n",
                                 graph.is_undirected() ? "graph" : "digraph");
  const auto out = std::back_inserter(text);
  for (TaskId id : graph.tasks()) {
    const Task& task = graph.task(id);
    fmt::format_to(out, "  {} [", dot_identifier(task.name));
    if (graph.has_work_table()) {
      std::vector<Time::rep> times;
      for (ProcessorId processor : ids<ProcessorId>(graph.work_table_columns()))
        times.push_back(graph.work_on(id, processor)->count());
      fmt::format_to(out, "Works=\"{}\"", fmt::join(times, " "));
    } else {
      fmt::format_to(out, "Weight={}", task.work.count());
    }
    if (task.moldable && task.moldable->points.empty())
      fmt::format_to(out, ", alpha=\"{}\"", task.moldable->serial);
    if (task.stateless) text += ", Stateless=true";
    fmt::format_to(out, ", label={}];\n",
                   dot_identifier(fmt::format("{}\\n{}", label_text(task.name), task.work.count())));
  }
  for (EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    fmt::format_to(out, "  {} {} {} [Weight={}", dot_identifier(graph.task(edge.from).name),
                   graph.is_undirected() ? "--" : "->", dot_identifier(graph.task(edge.to).name),
                   edge.size.count);
    if (edges_of_datum[edge.datum.index()] > 1) fmt::format_to(out, ", Datum={}", edge.datum.index());
    fmt::format_to(out, ", label={}];\n", edge.size.count);
  }
  return text + "}\n";
}

}  // namespace takt
