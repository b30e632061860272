#include "core/formats/wfcommons.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/formats/json_place.hpp"
#include "core/formats/json_text.hpp"
#include "core/formats/workflow.hpp"

namespace takt {

namespace {

using nlohmann::json;

class WorkflowReader {
 public:
  WorkflowReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  GraphFile read() && {
    parse();
    if (is_divided())
      read_divided();
    else
      read_plain();
    for (const bool at_parent : {true, false}) read_dependencies(at_parent);
    if (!is_divided()) add_file_dependencies();
    if (other_sizes_ > 0)
      notes_.push_back(fmt::format("{}: {} entries contradict the file size in an earlier one, which is used",
                                   file_, other_sizes_));
    return {graph(), std::move(notes_)};
  }

 private:
  inline static const std::string files_pointer = "/workflow/specification/files";
  inline static const std::string runs_pointer = "/workflow/execution/tasks";

  [[noreturn]] void refuse(const std::string& pointer, const std::string& message) const {
    throw ConfigError({file_, place_in_json(text_, pointer).line}, fmt::format("{}: {}", pointer, message));
  }

  void parse() {
    try {
      root_ = json::parse(text_);
    } catch (const json::exception& error) {
      refuse_json(text_, file_, error);
    }
    constexpr std::array known{"1.0", "1.1", "1.2", "1.3", "1.4", "1.5"};
    version_ = string("/schemaVersion");
    if (std::ranges::find(known, version_) == known.end())
      refuse("/schemaVersion",
             fmt::format("expected version 1.0 to 1.5 of WfFormat, found '{}'", excerpt(version_)));
    if (is_divided())
      tasks_pointer_ = "/workflow/specification/tasks";
    else
      tasks_pointer_ = has("/workflow/jobs") ? "/workflow/jobs" : "/workflow/tasks";
  }

  /// Reports whether specification and execution are two parts of the file.
  [[nodiscard]] bool is_divided() const { return version_ == "1.5"; }

  [[nodiscard]] bool has(const std::string& pointer) const {
    return root_.contains(json::json_pointer(pointer));
  }

  /// Returns the value under a pointer. The path to its parent must exist.
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

  /// Returns the list of texts under a pointer; empty if it is absent.
  [[nodiscard]] std::vector<std::string> names(const std::string& pointer) const {
    if (!has(pointer)) return {};
    const json& values = list(pointer);
    std::vector<std::string> result;
    for (std::size_t k = 0; k < values.size(); ++k)
      result.push_back(values[k].is_string() ? values[k].get<std::string>()
                                             : string(fmt::format("{}/{}", pointer, k)));
    return result;
  }

  /// Returns the current key or that of versions up to 1.3, whichever the entry has.
  [[nodiscard]] std::string key_of(const std::string& entry, const char* key, const char* old_key) const {
    const std::string pointer = fmt::format("{}/{}", entry, key), old = fmt::format("{}/{}", entry, old_key);
    return !has(pointer) && (has(old) || version_ < "1.4") ? old : pointer;
  }

  [[nodiscard]] std::uint64_t size_of_file(const std::string& entry) {
    const std::string pointer = key_of(entry, "sizeInBytes", "size");
    const json& size = at(pointer);
    if (!size.is_number_unsigned() || size.get<std::uint64_t>() > largest_workflow_file)
      refuse(pointer, fmt::format("expected a whole number from 0 to {}", largest_workflow_file));
    if (pointer.ends_with("/size") && !std::exchange(has_old_sizes_, true))
      notes_.push_back(
          fmt::format("{}: sizes of files are read as bytes, as by WfCommons, although the schema of version "
                      "{} defines KB",
                      file_, version_));
    return size.get<std::uint64_t>();
  }

  [[nodiscard]] Time runtime_of(const std::string& entry) const {
    const std::string pointer = key_of(entry, "runtimeInSeconds", "runtime");
    const json& runtime = at(pointer);
    const double value = runtime.is_number() ? runtime.get<double>() : -1;
    if (!(value >= 0 && value <= longest_workflow_runtime))
      refuse(pointer, fmt::format("expected a number from 0 to {}", longest_workflow_runtime));
    return Time(std::llround(value * 1e9));
  }

  void add_task(const std::string& id_pointer, WorkflowTask task) {
    if (!ids_.try_emplace(task.id, TaskId(workflow_.tasks.size())).second)
      refuse(id_pointer, fmt::format("two tasks have the id '{}'", excerpt(task.id)));
    workflow_.tasks.push_back(std::move(task));
  }

  /// Version 1.5: files, tasks and runtimes are separate lists.
  void read_divided() {
    for (std::size_t i = 0, count = has(files_pointer) ? list(files_pointer).size() : 0; i < count; ++i) {
      const std::string entry = fmt::format("{}/{}", files_pointer, i);
      if (!workflow_.set_file_size(string(entry + "/id"), size_of_file(entry))) ++other_sizes_;
    }
    std::unordered_map<std::string, Time> runtimes;
    for (std::size_t i = 0, count = list(runs_pointer).size(); i < count; ++i) {
      const std::string entry = fmt::format("{}/{}", runs_pointer, i);
      runtimes[string(entry + "/id")] = runtime_of(entry);
    }
    for (std::size_t i = 0, count = list(tasks_pointer_).size(); i < count; ++i) {
      const std::string entry = fmt::format("{}/{}", tasks_pointer_, i);
      const std::string& id = string(entry + "/id");
      const auto runtime = runtimes.find(id);
      const std::vector<std::string> inputs = known_files(entry + "/inputFiles");
      WorkflowTask task{id};
      task.outputs = known_files(entry + "/outputFiles");
      task.inputs = {inputs.begin(), inputs.end()};
      if (runtime != runtimes.end()) task.runtime = runtime->second;
      add_task(entry + "/id", std::move(task));
      if (runtime == runtimes.end())
        refuse(entry + "/id", fmt::format("{} has no runtime of task '{}'", runs_pointer, excerpt(id)));
    }
  }

  /// Returns a list of files whose sizes are known.
  [[nodiscard]] std::vector<std::string> known_files(const std::string& pointer) const {
    std::vector<std::string> files = names(pointer);
    for (std::size_t k = 0; k < files.size(); ++k)
      if (!workflow_.file_sizes.contains(files[k]))
        refuse(fmt::format("{}/{}", pointer, k),
               fmt::format("{} has no file '{}'", files_pointer, excerpt(files[k])));
    return files;
  }

  /// Versions before 1.5: each task contains all its properties.
  void read_plain() {
    for (std::size_t i = 0, count = list(tasks_pointer_).size(); i < count; ++i) {
      const std::string entry = fmt::format("{}/{}", tasks_pointer_, i);
      const std::string& name = string(entry + "/name");
      const bool has_id = has(entry + "/id");
      WorkflowTask task{has_id ? string(entry + "/id") : name, runtime_of(entry)};
      read_files(entry + "/files", task);
      const TaskId id(workflow_.tasks.size());
      add_task(entry + (has_id ? "/id" : "/name"), std::move(task));
      // A name shared by several tasks refers to none of them.
      if (const auto [found, is_new] = names_.try_emplace(name, id); !is_new) found->second = std::nullopt;
    }
  }

  void read_files(const std::string& pointer, WorkflowTask& task) {
    for (std::size_t k = 0, count = has(pointer) ? list(pointer).size() : 0; k < count; ++k) {
      const std::string entry = fmt::format("{}/{}", pointer, k);
      const std::string& link = string(entry + "/link");
      const std::string path = has(entry + "/path") ? string(entry + "/path") : "";
      const std::string name = path + string(entry + "/name");
      if (link == "input")
        task.inputs.insert(name);
      else if (link == "output")
        task.outputs.push_back(name);
      else
        refuse(entry + "/link", fmt::format("expected input or output, found '{}'", excerpt(link)));
      if (!workflow_.set_file_size(name, size_of_file(entry))) ++other_sizes_;
    }
  }

  [[nodiscard]] TaskId task(const std::string& reference, const std::string& pointer) const {
    if (const auto found = ids_.find(reference); found != ids_.end()) return found->second;
    const auto named = names_.find(reference);
    if (named == names_.end()) refuse(pointer, fmt::format("no task '{}'", excerpt(reference)));
    if (!named->second)
      refuse(pointer, fmt::format("several tasks have the name '{}': expected an id", excerpt(reference)));
    return *named->second;
  }

  /// A dependency may be listed at the parent, at the child, or at both.
  void read_dependencies(bool at_parent) {
    for (const TaskId id : ids<TaskId>(workflow_.tasks.size())) {
      const std::string pointer =
          fmt::format("{}/{}/{}", tasks_pointer_, id.index(), at_parent ? "children" : "parents");
      const std::vector<std::string> others = names(pointer);
      for (std::size_t k = 0; k < others.size(); ++k) {
        const std::string here = fmt::format("{}/{}", pointer, k);
        const TaskId other = task(others[k], here);
        add(at_parent ? id : other, at_parent ? other : id, here);
      }
    }
  }

  void add(TaskId parent, TaskId child, const std::string& pointer) {
    has_parent_.insert(child);
    if (workflow_.add_dependency(parent, child)) edge_pointers_[parent].push_back(pointer);
  }

  /// For tasks without a listed dependency.
  void add_file_dependencies() {
    const auto parents = workflow_.file_parents();
    const std::unordered_set<TaskId> written = has_parent_;
    for (const TaskId id : ids<TaskId>(parents.size()))
      for (const TaskId parent : parents[id.index()])
        if (!written.contains(id)) add(parent, id, fmt::format("{}/{}/files", tasks_pointer_, id.index()));
  }

  [[nodiscard]] TaskGraph graph() const {
    try {
      return workflow_graph(workflow_);
    } catch (const GraphError& error) {
      if (!error.edge) refuse(tasks_pointer_, error.what());
      const auto [parent, child] = workflow_.dependency(*error.edge);
      refuse(edge_pointers_.at(parent)[child], error.what());
    }
  }

  std::string_view text_;
  const std::string& file_;
  json root_;
  std::string version_, tasks_pointer_;
  Workflow workflow_;
  std::unordered_map<std::string, TaskId> ids_;
  /// For versions before 1.5.
  std::unordered_map<std::string, std::optional<TaskId>> names_;
  std::unordered_set<TaskId> has_parent_;
  /// First position of each parent's dependencies.
  std::unordered_map<TaskId, std::vector<std::string>> edge_pointers_;
  bool has_old_sizes_ = false;
  std::size_t other_sizes_ = 0;
  std::vector<std::string> notes_;
};

/// Converts whole nanoseconds to seconds that read back exactly.
double seconds(Time time) {
  return static_cast<double>(time.count()) / 1e9;
}

}  // namespace

GraphFile read_wfcommons(std::string_view text, const std::string& file) {
  return WorkflowReader(text, file).read();
}

TaskGraph graph_from_wfcommons(std::string_view text, const std::string& file) {
  return read_wfcommons(text, file).graph;
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
