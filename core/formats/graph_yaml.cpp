#include "core/formats/graph_yaml.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/file_kind.hpp"
#include "core/formats/graph_file_builder.hpp"
#include "core/formats/graph_lines.hpp"
#include "core/formats/graph_yaml_node.hpp"
#include "core/formats/letters.hpp"
#include "core/formats/yaml_lines.hpp"
#include "core/formats/yaml_parser.hpp"
#include "core/formats/yaml_text.hpp"
#include "core/formats/yaml_values.hpp"
#include "core/graphs/graph_limits.hpp"
#include "core/system/text_file.hpp"

namespace takt {

namespace {

double parse_serial_part(std::string_view text) {
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || rest != text.data() + text.size())
    throw ConfigError(fmt::format("'{}' is not a number", excerpt(text)));
  return number;
}

class GraphReader {
 public:
  GraphReader(const YamlNode& node, ErrorList& errors)
      : node_(node), errors_(errors), builder_(node.where().file) {}

  GraphReader(const std::string& file, ErrorList& errors) : errors_(errors), builder_(file) {}

  /// Reads some entries of one of the two lists, from a document with nothing else. Returns false, and ends
  /// reading, if it is the other list.
  bool read_part(const YamlNode& part) {
    if (const YamlNode tasks = part["tasks"])
      read_list(tasks, "tasks", errors_, [&](const YamlNode& task) { read_task(task); });
    else if (const YamlNode edges = part["edges"])
      read_list(edges, "edges", errors_, [&](const YamlNode& edge) { read_edge(edge); });
    else
      return false;
    is_complete_ = errors_.empty() && builder_.edge_count() <= largest_edge_count;
    return is_complete_;
  }

  void read() {
    static constexpr std::array<std::string_view, 3> keys{"tasks", "edges", "undirected"};
    const std::size_t errors_before = errors_.size();
    expect_mapping(node_, "a graph", keys);
    check_keys(node_, "a graph", keys, errors_);
    if (const YamlNode undirected = node_["undirected"])
      is_undirected_ = read_boolean(undirected, "undirected");
    if (is_undirected_) builder_.set_undirected();
    const YamlNode tasks = require(node_, "a graph", "tasks");
    builder_.reserve(tasks.size(), node_["edges"].size());
    read_list(tasks, "tasks", errors_, [&](const YamlNode& task) { read_task(task); });
    // With missing tasks, edges would report spurious errors.
    if (errors_.size() != errors_before) return;
    if (const YamlNode edges = node_["edges"]) {
      check_edge_count(edges);
      read_list(edges, "edges", errors_, [&](const YamlNode& edge) { read_edge(edge); });
    }
    is_complete_ = errors_.size() == errors_before;
  }

  /// Returns the graph; an empty one after errors. Needs no nodes any more.
  [[nodiscard]] TaskGraph build() && { return is_complete_ ? std::move(builder_).build() : TaskGraph(); }

 private:
  void read_task(const YamlNode& node) {
    static constexpr std::array<std::string_view, 6> keys{"name",  "work",  "stateless",
                                                          "alpha", "times", "hull"};
    expect_mapping(node, "a task", keys);
    check_keys(node, "a task", keys, errors_);
    const YamlNode times_node = node["times"];
    const YamlNode work = times_node ? YamlNode() : require(node, "a task", "work");
    Task task;
    task.name = read_text(require(node, "a task", "name"), "the name of a task");
    if (const YamlNode stateless = node["stateless"]) task.stateless = read_boolean(stateless, "stateless");
    read_profile(node, task);
    if (times_node) {
      builder_.add_task(std::move(task), node.place());
      return;
    }
    const bool is_table = work.is_list() || work.is_mapping();
    if (!is_table) task.work = read_time(work, "work");
    const TaskId id = builder_.add_task(std::move(task), node.place());
    check_kind(work, id);
    if (is_table) builder_.set_work_table(id, work.is_list() ? by_processor(work) : by_core_type(work));
  }

  /// Refuses work by type of core beside other work: its columns would be taken for processors.
  void check_kind(const YamlNode& work, TaskId id) {
    if (id.index() > 0 && work.is_mapping() == core_types_.empty())
      refuse(work,
             "expected 'work' by type of core for all tasks, such as {big: 8, little: 16}, or for none");
  }

  static std::vector<Time> by_processor(const YamlNode& work) {
    std::vector<Time> times;
    for (const YamlNode& time : work) times.push_back(read_time(time, "work"));
    return times;
  }

  /// Parses `{big: 8, little: 16}`; the first task sets the order of the types.
  std::vector<Time> by_core_type(const YamlNode& work) {
    if (core_types_.empty()) {
      for (const auto& [type, time] : work.pairs())
        core_types_.emplace_back(read_text(type, "a type of core"));
      if (core_types_.empty()) refuse(work, "expected 'work' by type of core, such as {big: 8, little: 16}");
      builder_.set_core_types(core_types_);
    }
    std::vector<std::optional<Time>> times(core_types_.size());
    for (const auto& [type, time] : work.pairs()) {
      const auto found = std::ranges::find(core_types_, read_text(type, "a type of core"));
      if (found == core_types_.end())
        refuse(type, unknown_name("type of core", type.text(), {core_types_.begin(), core_types_.end()}));
      times[static_cast<std::size_t>(found - core_types_.begin())] = read_time(time, "work");
    }
    std::vector<Time> all;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (!times[i]) refuse(work, fmt::format("'work' on type '{}' is missing", excerpt(core_types_[i])));
      all.push_back(*times[i]);
    }
    return all;
  }

  /// Parses `alpha: 0.1`, or `times` on 1, 2, ... processors as a list, or on some numbers as a mapping.
  static void read_profile(const YamlNode& node, Task& task) {
    const YamlNode alpha = node["alpha"], times = node["times"], hull = node["hull"], work = node["work"];
    if (hull && !times) refuse(hull, "'hull' needs 'times'");
    if (alpha) {
      if (times) refuse(alpha, "'alpha' and 'times' exclude each other");
      if (work && !work.is_text()) refuse(alpha, "'alpha' needs 'work' as a single number");
      const double serial = read_with(alpha, "alpha", parse_serial_part);
      if (!(serial >= 0 && serial <= 1))
        refuse(alpha,
               fmt::format("alpha is '{}': expected a number from 0 to 1, the serial fraction of the work",
                           excerpt(alpha.text())));
      task.moldable = MoldableProfile{serial, {}};
    }
    if (!times) return;
    if (work) refuse(work, "'work' and 'times' exclude each other: the time on 1 processor is the work");
    std::vector<MoldableProfile::Point> points = read_points(times);
    if (hull && read_boolean(hull, "hull")) points = monotone_hull(std::move(points));
    task.work = points.front().time;
    task.moldable = MoldableProfile{0, std::move(points)};
    if (const std::string fault = profile_fault(*task.moldable, task.work); !fault.empty())
      refuse(times, fmt::format("task '{}': {}", task.name, fault));
  }

  static std::vector<MoldableProfile::Point> read_points(const YamlNode& times) {
    constexpr const char* expected =
        "'times': expected a list of times on 1, 2, ... processors, or a mapping such as {1: 40 ms, 8: 6 ms}";
    std::vector<MoldableProfile::Point> points;
    if (times.is_mapping()) {
      for (const auto& [key, value] : times.pairs()) {
        const std::int64_t processors = read_integer(key, "a number of processors", 1, 1'000'000'000);
        points.push_back({static_cast<std::uint32_t>(processors), read_time(value, "a time")});
      }
      std::ranges::stable_sort(points, {}, &MoldableProfile::Point::processors);
    } else if (times.is_list()) {
      for (const YamlNode& time : times)
        points.push_back({static_cast<std::uint32_t>(points.size() + 1), read_time(time, "a time")});
    }
    if (points.empty()) refuse(times, expected);
    if (points.front().processors != 1)
      refuse(times, "'times' lacks the time on 1 processor, the task's work");
    return points;
  }

  void read_edge(const YamlNode& node) {
    static constexpr std::array<std::string_view, 3> keys{"from", "to", "size"};
    expect_mapping(node, "an edge", keys);
    check_keys(node, "an edge", keys, errors_);
    const auto task = [&](const YamlNode& name, std::string_view what) {
      return builder_.task(read_text(name, what), name.place());
    };
    Bytes size{1};
    if (const YamlNode written = node["size"]) size = read_bytes(written, "size");
    const TaskId sender = task(require(node, "an edge", "from"), "from");
    const YamlNode to = require(node, "an edge", "to");
    if (!to.is_list()) return add_edge(sender, task(to, "to"), size, node.place());
    const DatumId datum = is_undirected_ ? DatumId(0) : builder_.add_datum(sender, size);
    std::unordered_set<TaskId> receivers;
    for (const YamlNode& each : to) {
      const TaskId receiver = task(each, "to");
      if (!receivers.insert(receiver).second)
        refuse(each, fmt::format("'{}' is given twice in 'to'", excerpt(each.text())));
      if (is_undirected_)
        add_edge(sender, receiver, size, each.place());
      else
        builder_.add_edge(datum, receiver, each.place());
    }
  }

  /// Adds an edge with its own datum; without a direction it leads to the later task, so that no cycle
  /// arises.
  void add_edge(TaskId from, TaskId to, Bytes size, Place place) {
    if (is_undirected_ && to < from) std::swap(from, to);
    builder_.add_edge(builder_.add_datum(from, size), to, place);
  }

  /// With aliases a few lines can define many edges: refuses too many before they are allocated.
  static void check_edge_count(const YamlNode& edges) {
    std::size_t count = 0;
    for (const YamlNode& edge : edges) {
      const YamlNode to = edge["to"];
      count += to.is_list() ? to.size() : 1;
      if (count > largest_edge_count) refuse(edge, fmt::format("more than {} edges", largest_edge_count));
    }
  }

  YamlNode node_;
  ErrorList& errors_;
  GraphFileBuilder builder_;
  std::vector<std::string> core_types_;
  bool is_undirected_ = false;
  bool is_complete_ = false;
};

/// A text of at least this many characters is read in parts of the second size.
constexpr std::size_t long_text = std::size_t{1} << 22;
constexpr std::size_t part_size = std::size_t{1} << 20;

/// Returns the graph of a long text in plain lines, first all tasks, then all edges. Reads part by part,
/// since a tree takes four times as much memory as its text. Empty if the text has another form or an error,
/// which the reader of whole texts reports.
std::optional<TaskGraph> graph_of_parts(const std::string& text, const std::string& file) {
  if (!has_plain_lines(text)) return std::nullopt;
  ErrorList errors;
  GraphReader reader(file, errors);
  std::string_view rest = text;
  std::string key;
  bool has_tasks = false;
  try {
    while (!rest.empty()) {
      const auto is_of_list = [](char first) { return first == ' ' || first == '-' || first == '\n'; };
      // A line at the margin is the key of the next list.
      if (!is_of_list(rest.front())) {
        const std::string_view expected = key.empty() ? "tasks:\n" : "edges:\n";
        if (key == expected || !rest.starts_with(expected)) return std::nullopt;
        key = expected;
        rest.remove_prefix(expected.size());
      }
      std::size_t end = 0;
      while (end < std::min(rest.size(), part_size) && is_of_list(rest[end]))
        end = std::min(rest.find('\n', end), rest.size() - 1) + 1;
      const std::string_view lines = rest.substr(0, end);
      rest.remove_prefix(end);
      if (lines.find_first_not_of(" \n") == lines.npos) continue;
      const YamlTree tree = parse_yaml(key + std::string(lines), file, errors);
      if (!reader.read_part(tree.root())) return std::nullopt;
      has_tasks = true;
    }
    return has_tasks ? std::optional(std::move(reader).build()) : std::nullopt;
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

/// Reads a graph in any form, or a short one.
TaskGraph graph_of_any_form(std::string text, const std::string& file) {
  if (text.size() >= long_text)
    if (std::optional<TaskGraph> graph = graph_of_parts(text, file)) return *std::move(graph);
  ErrorList errors;
  TaskGraph graph;
  // For a graph of millions of lines, text, tree and graph must not be in memory together.
  std::optional<YamlTree> tree = parse_yaml(text, file, errors);
  text = std::string();
  errors.attempt([&] {
    expect_kind(tree->root(), FileKind::graph);
    GraphReader reader(tree->root(), errors);
    reader.read();
    tree.reset();
    graph = std::move(reader).build();
  });
  errors.throw_if_any();
  return graph;
}

}  // namespace

TaskGraph read_graph(const YamlNode& node, ErrorList& errors) {
  TaskGraph graph;
  errors.attempt([&] {
    GraphReader reader(node, errors);
    reader.read();
    graph = std::move(reader).build();
  });
  return graph;
}

TaskGraph graph_from_yaml(std::string text, const std::string& file) {
  if (text.size() >= long_text)
    if (std::optional<TaskGraph> graph = graph_from_lines(text)) return *std::move(graph);
  return graph_of_any_form(std::move(text), file);
}

TaskGraph graph_from_yaml_file(const std::string& file) {
  std::error_code none;
  // Requires a file that can be read twice, unlike a pipe.
  if (!std::filesystem::is_regular_file(file, none) || std::filesystem::file_size(file, none) < long_text ||
      none)
    return graph_from_yaml(read_text_file(file), file);
  TextParts parts(file);
  if (std::optional<TaskGraph> graph = graph_from_lines(parts)) return *std::move(graph);
  return graph_of_any_form(read_text_file(file), file);
}

namespace {

void append_task(std::string& text, const TaskGraph& graph, TaskId id) {
  const Task& task = graph.task(id);
  const bool has_points = task.moldable && !task.moldable->points.empty();
  ShortText line;
  put_scalar(line.put("  - {name: "), text, task.name);
  if (has_points) {
    std::vector<std::string> points;
    for (const auto& [processors, time] : task.moldable->points)
      points.push_back(fmt::format("{}: {}", processors, time.count()));
    text += line.view();
    text += fmt::format(", times: {{{}}}", fmt::join(points, ", "));
    line.clear();
  } else if (graph.has_work_table()) {
    std::vector<Time::rep> times;
    for (ProcessorId processor : ids<ProcessorId>(graph.work_table_columns()))
      times.push_back(graph.work_on(id, processor)->count());
    text += line.view();
    line.clear();
    if (graph.core_types().empty()) {
      text += fmt::format(", work: [{}]", fmt::join(times, ", "));
    } else {
      text += ", work: {";
      for (std::size_t i = 0; i < times.size(); ++i) {
        append_scalar(text += i == 0 ? "" : ", ", graph.core_types()[i]);
        text += fmt::format(": {}", times[i]);
      }
      text += '}';
    }
  } else {
    line.put(", work: ").put(task.work.count());
  }
  if (task.moldable && !has_points) {
    text += line.view();
    text += fmt::format(", alpha: {}", task.moldable->serial);
    line.clear();
  }
  if (task.stateless) line.put(", stateless: true");
  text += line.put("}\n").view();
}

/// The consumers of each datum, in the order of the edges. If each edge has its own datum, in order, no lists
/// are needed.
class Receivers {
 public:
  explicit Receivers(const TaskGraph& graph) : graph_(graph), one_each_(graph.has_one_datum_an_edge()) {
    if (one_each_) return;
    first_.resize(graph.datum_count() + 1, 0);
    tasks_.resize(graph.edge_count());
    for (EdgeId id : graph.edges()) ++first_[graph.edge(id).datum.index() + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (EdgeId id : graph.edges()) tasks_[next[graph.edge(id).datum.index()]++] = graph.edge(id).to;
  }
  /// `only` is storage for a single consumer without a list.
  [[nodiscard]] std::span<const TaskId> of(DatumId datum, TaskId& only) const {
    if (one_each_) {
      only = graph_.edge(EdgeId(datum.index())).to;
      return {&only, 1};
    }
    return std::span(tasks_).subspan(first_[datum.index()],
                                     first_[datum.index() + 1] - first_[datum.index()]);
  }

 private:
  const TaskGraph& graph_;
  bool one_each_;
  std::vector<std::uint32_t> first_;
  std::vector<TaskId> tasks_;
};

void append_datum(std::string& text, const TaskGraph& graph, DatumId datum, std::span<const TaskId> to) {
  ShortText line;
  put_scalar(line.put("  - {from: "), text, graph.task(graph.datum_task(datum)).name);
  if (to.size() == 1) {
    put_scalar(line.put(", to: "), text, graph.task(to.front()).name);
  } else {
    text += line.put(", to: [").view();
    line.clear();
    for (std::size_t i = 0; i < to.size(); ++i)
      append_scalar(text += i == 0 ? "" : ", ", graph.task(to[i]).name);
    line.put("]");
  }
  text += line.put(", size: ").put(graph.datum_size(datum).count).put("}\n").view();
}

}  // namespace

void write_graph_yaml(LineWriter& writer, const TaskGraph& graph, std::string_view margin) {
  if (graph.is_undirected()) writer.put(fmt::format("{}undirected: true\n", margin));
  writer.put(fmt::format("{}{}", margin, graph.task_count() == 0 ? "tasks: []\n" : "tasks:\n"));
  writer.put_lines(graph.task_count(),
                   [&](std::string& text, std::size_t i) { append_task(text += margin, graph, TaskId(i)); });
  if (graph.datum_count() == 0) return;
  const Receivers receivers(graph);
  writer.put(fmt::format("{}edges:\n", margin));
  writer.put_lines(
      graph.datum_count(),
      [&](std::string& text, std::size_t i) {
        TaskId only;
        append_datum(text += margin, graph, DatumId(i), receivers.of(DatumId(i), only));
      },
      [&](std::size_t i) __attribute__((always_inline)) {
        TaskId only;
        __builtin_prefetch(&graph.task(graph.datum_task(DatumId(i))));
        for (TaskId to : receivers.of(DatumId(i), only)) __builtin_prefetch(&graph.task(to));
      });
}

std::string graph_to_yaml(const TaskGraph& graph) {
  LineWriter writer;
  write_graph_yaml(writer, graph);
  return std::move(writer).take();
}

}  // namespace takt
