#include "core/formats/wfcommons.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/formats/json_place.hpp"
#include "core/formats/json_text.hpp"

namespace takt {

namespace {

using nlohmann::json;

class WorkflowReader {
 public:
  WorkflowReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  TaskGraph read() && {
    parse();
    check_version();
    read_file_sizes();
    read_runtimes();
    read_tasks();
    read_dependencies();
    for (TaskId id : ids<TaskId>(tasks_.size())) add_edges(id);
    try {
      return std::move(builder_).build();
    } catch (const GraphError& error) {
      refuse(error.edge ? edge_pointers_[error.edge->index()] : tasks_pointer, error.what());
    }
  }

 private:
  inline static const std::string tasks_pointer = "/workflow/specification/tasks";
  inline static const std::string files_pointer = "/workflow/specification/files";
  inline static const std::string runs_pointer = "/workflow/execution/tasks";

  /// What the specification says about one task.
  struct TaskEntry {
    std::vector<std::string> outputs;
    std::unordered_set<std::string> inputs;
    /// Its children in the order of the file, and where the dependency is written first.
    std::vector<std::pair<TaskId, std::string>> children;
    std::unordered_set<TaskId> known_children;
  };

  [[noreturn]] void refuse(const std::string& pointer, const std::string& message) const {
    throw ConfigError({file_, place_in_json(text_, pointer).line}, fmt::format("{}: {}", pointer, message));
  }

  void parse() {
    try {
      root_ = json::parse(text_);
    } catch (const json::exception& error) {
      refuse_json(text_, file_, error);
    }
  }

  void check_version() const {
    const std::string& version = string("/schemaVersion");
    if (version != "1.5")
      refuse("/schemaVersion", fmt::format("expected version 1.5 of WfFormat, found '{}'", excerpt(version)));
  }

  /// What stands under a pointer. The path to its parent must exist.
  [[nodiscard]] const json& at(const std::string& pointer) const {
    const json::json_pointer path(pointer);
    if (root_.contains(path)) return root_.at(path);
    json::json_pointer parent = path.parent_pointer();
    std::string missing = path.back();
    while (!root_.contains(parent)) {
      missing = parent.back();
      parent = parent.parent_pointer();
    }
    throw ConfigError(
        {file_, place_in_json(text_, parent.to_string()).line},
        fmt::format("{} needs a '{}'", parent.empty() ? "the file" : parent.to_string(), missing));
  }

  [[nodiscard]] const json& list(const std::string& pointer) const {
    const json& value = at(pointer);
    if (!value.is_array()) refuse(pointer, fmt::format("expected a list, found {}", value.type_name()));
    return value;
  }

  [[nodiscard]] const std::string& string(const std::string& pointer) const {
    const json& value = at(pointer);
    if (!value.is_string()) refuse(pointer, fmt::format("expected a text, found {}", value.type_name()));
    return value.get_ref<const std::string&>();
  }

  /// The list of texts under a pointer; empty when it is left out.
  [[nodiscard]] std::vector<std::string> names(const std::string& pointer) const {
    if (!root_.contains(json::json_pointer(pointer))) return {};
    const json& values = list(pointer);
    std::vector<std::string> result;
    for (std::size_t k = 0; k < values.size(); ++k)
      result.push_back(values[k].is_string() ? values[k].get<std::string>()
                                             : string(fmt::format("{}/{}", pointer, k)));
    return result;
  }

  void read_file_sizes() {
    if (!root_.contains(json::json_pointer(files_pointer))) return;
    const std::size_t count = list(files_pointer).size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string entry = fmt::format("{}/{}", files_pointer, i);
      const json& size = at(entry + "/sizeInBytes");
      // So that the sizes of a task's files add up.
      constexpr std::uint64_t largest = 1'000'000'000'000'000;
      if (!size.is_number_unsigned() || size.get<std::uint64_t>() > largest)
        refuse(entry + "/sizeInBytes", fmt::format("expected a whole number from 0 to {}", largest));
      file_sizes_[string(entry + "/id")] = size.get<std::uint64_t>();
    }
  }

  void read_runtimes() {
    const std::size_t count = list(runs_pointer).size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string entry = fmt::format("{}/{}", runs_pointer, i);
      const json& runtime = at(entry + "/runtimeInSeconds");
      constexpr double longest = 4e9;
      const double value = runtime.is_number() ? runtime.get<double>() : -1;
      if (!(value >= 0 && value <= longest))
        refuse(entry + "/runtimeInSeconds", fmt::format("expected a number from 0 to {}", longest));
      runtimes_[string(entry + "/id")] = Time(std::llround(value * 1e9));
    }
  }

  void read_tasks() {
    const std::size_t count = list(tasks_pointer).size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string entry = fmt::format("{}/{}", tasks_pointer, i);
      const std::string& id = string(entry + "/id");
      if (!ids_.try_emplace(id, TaskId(i)).second)
        refuse(entry + "/id", fmt::format("two tasks have the id '{}'", excerpt(id)));
      const auto runtime = runtimes_.find(id);
      if (runtime == runtimes_.end())
        refuse(entry + "/id", fmt::format("{} has no runtime of task '{}'", runs_pointer, excerpt(id)));
      builder_.add_task({id, runtime->second, false});
      const std::vector<std::string> inputs = file_names(entry + "/inputFiles");
      tasks_.push_back({file_names(entry + "/outputFiles"), {inputs.begin(), inputs.end()}, {}, {}});
    }
  }

  /// A list of files whose sizes are known.
  [[nodiscard]] std::vector<std::string> file_names(const std::string& pointer) const {
    std::vector<std::string> files = names(pointer);
    for (std::size_t k = 0; k < files.size(); ++k)
      if (!file_sizes_.contains(files[k]))
        refuse(fmt::format("{}/{}", pointer, k),
               fmt::format("{} has no file '{}'", files_pointer, excerpt(files[k])));
    return files;
  }

  /// A dependency may stand at the parent, at the child, or at both.
  void read_dependencies() {
    for (const bool at_parent : {true, false})
      for (TaskId id : ids<TaskId>(tasks_.size())) {
        const std::string pointer =
            fmt::format("{}/{}/{}", tasks_pointer, id.index(), at_parent ? "children" : "parents");
        const std::vector<std::string> others = names(pointer);
        for (std::size_t k = 0; k < others.size(); ++k) {
          std::string here = fmt::format("{}/{}", pointer, k);
          const auto other = ids_.find(others[k]);
          if (other == ids_.end()) refuse(here, fmt::format("there is no task '{}'", excerpt(others[k])));
          const TaskId child = at_parent ? other->second : id;
          TaskEntry& parent = tasks_[(at_parent ? id : other->second).index()];
          if (parent.known_children.insert(child).second)
            parent.children.emplace_back(child, std::move(here));
        }
      }
  }

  /// One edge to each child; children that read the same files share the datum.
  void add_edges(TaskId parent) {
    const TaskEntry& task = tasks_[parent.index()];
    std::map<std::vector<std::size_t>, DatumId> datum_of_files;
    for (const auto& [child, pointer] : task.children) {
      std::vector<std::size_t> read;
      Bytes size;
      for (std::size_t k = 0; k < task.outputs.size(); ++k)
        if (tasks_[child.index()].inputs.contains(task.outputs[k])) {
          read.push_back(k);
          size += Bytes{file_sizes_.at(task.outputs[k])};
        }
      auto shared = datum_of_files.find(read);
      if (shared == datum_of_files.end())
        shared = datum_of_files.emplace(std::move(read), builder_.add_datum(parent, size)).first;
      builder_.add_edge(shared->second, child);
      edge_pointers_.push_back(pointer);
    }
  }

  std::string_view text_;
  const std::string& file_;
  TaskGraphBuilder builder_;
  json root_;
  std::unordered_map<std::string, std::uint64_t> file_sizes_;
  std::unordered_map<std::string, Time> runtimes_;
  std::unordered_map<std::string, TaskId> ids_;
  std::vector<TaskEntry> tasks_;
  std::vector<std::string> edge_pointers_;
};

/// Whole nanoseconds as seconds that read back exactly.
double seconds(Time time) {
  return static_cast<double>(time.count()) / 1e9;
}

}  // namespace

TaskGraph graph_from_wfcommons(std::string_view text, const std::string& file) {
  return WorkflowReader(text, file).read();
}

std::string graph_to_wfcommons(const TaskGraph& graph) {
  json tasks = json::array(), files = json::array(), runs = json::array();
  for (TaskId id : graph.tasks()) {
    const std::string& name = graph.task(id).name;
    const json none = json::array();
    tasks.push_back({{"name", name},
                     {"id", name},
                     {"parents", none},
                     {"children", none},
                     {"inputFiles", none},
                     {"outputFiles", none}});
    runs.push_back({{"id", name}, {"runtimeInSeconds", seconds(graph.task(id).work)}});
  }
  for (DatumId datum : ids<DatumId>(graph.datum_count())) {
    const std::string file = fmt::format("datum_{}", datum.index());
    files.push_back({{"id", file}, {"sizeInBytes", graph.datum_size(datum).count}});
    tasks[graph.datum_task(datum).index()]["outputFiles"].push_back(file);
  }
  for (EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    json &parent = tasks[edge.from.index()], &child = tasks[edge.to.index()];
    child["inputFiles"].push_back(files[edge.datum.index()]["id"]);
    child["parents"].push_back(parent["id"]);
    parent["children"].push_back(child["id"]);
  }
  const json root{{"name", "takt"},
                  {"schemaVersion", "1.5"},
                  {"workflow",
                   {{"specification", {{"tasks", tasks}, {"files", files}}},
                    {"execution",
                     {{"makespanInSeconds", seconds(graph.total_work())},
                      {"executedAt", "1970-01-01T00:00:00Z"},
                      {"tasks", runs}}}}}};
  return json_text(root);
}

}  // namespace takt
