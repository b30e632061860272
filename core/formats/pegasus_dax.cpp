#include "core/formats/pegasus_dax.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "core/formats/graph_file_builder.hpp"
#include "core/formats/workflow.hpp"
#include "core/formats/xml_tree.hpp"

namespace takt {

namespace {

class DaxReader {
 public:
  DaxReader(std::string_view text, const std::string& file) : root_(parse_xml(text, file)), file_(file) {}

  GraphFile read() && {
    if (root_.name != "adag") refuse(root_.place, fmt::format("expected <adag>, not <{}>", root_.name));
    for (const XmlElement& element : root_.children) {
      if (element.name == "job") read_job(element);
      if (element.name == "dax" || element.name == "dag")
        refuse(element.place,
               fmt::format("<{}>: jobs that are workflows of another file are not supported", element.name));
    }
    if (jobs_without_runtime_ == workflow_.tasks.size())
      take_default_runtime();
    else if (jobs_without_runtime_ > 0)
      refuse(*first_without_runtime_,
             fmt::format("the job has no runtime: expected runtime=\"SECONDS\", as "
                         "in {} of {} jobs",
                         workflow_.tasks.size() - jobs_without_runtime_, workflow_.tasks.size()));
    for (const XmlElement& element : root_.children)
      if (element.name == "child") read_parents(element);
    add_file_dependencies();
    if (other_sizes_ > 0)
      notes_.push_back(fmt::format("{}: {} <uses> contradict the size in an earlier one, which is used",
                                   file_, other_sizes_));
    return {graph(), std::move(notes_)};
  }

 private:
  [[noreturn]] void refuse(Place place, const std::string& message) const {
    throw ConfigError(place.in(file_), message);
  }

  const XmlAttribute& require(const XmlElement& element, std::string_view name) const {
    if (const XmlAttribute* found = element.find(name)) return *found;
    refuse(element.place, fmt::format("<{}> lacks '{}'", element.name, name));
  }

  double number(const XmlAttribute& attribute, double most) const {
    const char* const end = attribute.value.data() + attribute.value.size();
    double value = 0;
    const auto [rest, error] = std::from_chars(attribute.value.data(), end, value);
    if (error != std::errc{} || rest != end || !(value >= 0 && value <= most))
      refuse(attribute.place, fmt::format("{} is '{}': expected a number from 0 to {}", attribute.name,
                                          excerpt(attribute.value), most));
    return value;
  }

  void read_job(const XmlElement& job) {
    const XmlAttribute& id = require(job, "id");
    const TaskId task(workflow_.tasks.size());
    if (!ids_.try_emplace(id.value, task).second)
      refuse(id.place, fmt::format("two jobs have the id '{}'", excerpt(id.value)));
    workflow_.tasks.push_back({id.value});
    places_.push_back(job.place);
    if (const XmlAttribute* runtime = job.find("runtime")) {
      workflow_.tasks.back().runtime = Time(std::llround(number(*runtime, longest_workflow_runtime) * 1e9));
    } else {
      ++jobs_without_runtime_;
      if (!first_without_runtime_) first_without_runtime_ = job.place;
    }
    for (const XmlElement& uses : job.children)
      if (uses.name == "uses") read_uses(uses, workflow_.tasks.back());
  }

  void read_uses(const XmlElement& uses, WorkflowTask& task) {
    const XmlAttribute* const old_name = uses.find("file");
    const std::string& name = old_name != nullptr ? old_name->value : require(uses, "name").value;
    const XmlAttribute* const link = uses.find("link");
    // Executables and libraries have no link, or "none".
    if (link == nullptr || link->value == "none") return;
    const bool is_both = link->value == "inout";
    if (!is_both && link->value != "input" && link->value != "output")
      refuse(link->place,
             fmt::format("link is '{}': expected input, output, inout or none", excerpt(link->value)));
    if (is_both || link->value == "input") task.inputs.insert(name);
    if (is_both || link->value == "output") task.outputs.push_back(name);
    const XmlAttribute* const size = uses.find("size");
    if (size == nullptr) return;
    const double bytes = number(*size, static_cast<double>(largest_workflow_file));
    if (!workflow_.set_file_size(name, static_cast<std::uint64_t>(std::llround(bytes)))) ++other_sizes_;
  }

  void take_default_runtime() {
    if (workflow_.tasks.empty()) return;
    for (WorkflowTask& task : workflow_.tasks) task.runtime = Time{1};
    notes_.push_back(fmt::format("{}: no job has a runtime: each task gets work 1", file_));
  }

  [[nodiscard]] TaskId job(const XmlAttribute& reference) const {
    const auto found = ids_.find(reference.value);
    if (found == ids_.end()) refuse(reference.place, fmt::format("no job '{}'", excerpt(reference.value)));
    return found->second;
  }

  void add(TaskId parent, TaskId child, Place place) {
    if (workflow_.add_dependency(parent, child)) edge_places_[parent].push_back(place);
  }

  void read_parents(const XmlElement& child) {
    const TaskId to = job(require(child, "ref"));
    for (const XmlElement& parent : child.children)
      if (parent.name == "parent") add(job(require(parent, "ref")), to, parent.place);
  }

  void add_file_dependencies() {
    const auto parents = workflow_.file_parents();
    for (const TaskId reader : ids<TaskId>(parents.size()))
      for (const TaskId writer : parents[reader.index()]) add(writer, reader, places_[reader.index()]);
  }

  TaskGraph graph() {
    try {
      return workflow_graph(workflow_);
    } catch (const GraphError& error) {
      Place place = error.task ? places_[error.task->index()] : root_.place;
      if (error.edge) {
        const auto [parent, child] = workflow_.dependency(*error.edge);
        place = edge_places_.at(parent)[child];
      }
      refuse(place, error.what());
    }
  }

  const XmlElement root_;
  const std::string& file_;
  Workflow workflow_;
  std::unordered_map<std::string, TaskId> ids_;
  /// Positions of the jobs, and of each job's dependent jobs.
  std::vector<Place> places_;
  std::unordered_map<TaskId, std::vector<Place>> edge_places_;
  std::size_t jobs_without_runtime_ = 0, other_sizes_ = 0;
  std::optional<Place> first_without_runtime_;
  std::vector<std::string> notes_;
};

/// Returns each task's data in the order of their consumers; data without a consumer come last.
std::vector<std::vector<DatumId>> data_in_order_of_children(const TaskGraph& graph) {
  std::vector<std::size_t> first_child(graph.datum_count(), graph.task_count());
  for (const EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    std::size_t& child = first_child[edge.datum.index()];
    child = std::min(child, edge.to.index());
  }
  std::vector<std::vector<DatumId>> data(graph.task_count());
  for (const DatumId datum : ids<DatumId>(graph.datum_count()))
    data[graph.datum_task(datum).index()].push_back(datum);
  for (std::vector<DatumId>& of_task : data)
    std::ranges::stable_sort(of_task, {}, [&](DatumId datum) { return first_child[datum.index()]; });
  return data;
}

}  // namespace

GraphFile read_dax(std::string_view text, const std::string& file) {
  return DaxReader(text, file).read();
}

std::string graph_to_dax(const TaskGraph& graph) {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<adag xmlns=\"http://pegasus.isi.edu/schema/DAX\" version=\"2.1\" name=\"takt\">\n";
  const auto out = std::back_inserter(text);
  const std::vector<std::vector<DatumId>> written = data_in_order_of_children(graph);
  // In the numbering of the reader.
  std::vector<std::size_t> numbers(graph.datum_count());
  std::size_t next = 0;
  for (const auto& data : written)
    for (const DatumId datum : data) numbers[datum.index()] = next++;
  const auto uses = [&](DatumId datum, std::string_view link) {
    fmt::format_to(out, "    <uses file=\"datum_{}\" link=\"{}\" size=\"{}\"/>\n", numbers[datum.index()],
                   link, graph.datum_size(datum).count);
  };
  for (const TaskId id : graph.tasks()) {
    const std::string name = xml_text(graph.task(id).name);
    // Whole nanoseconds in seconds, without rounding.
    const Time::rep work = graph.task(id).work.count();
    fmt::format_to(out, "  <job id=\"{}\" name=\"{}\" runtime=\"{}.{:09}\">\n", name, name,
                   work / 1'000'000'000, work % 1'000'000'000);
    for (const EdgeId edge : graph.in_edges(id)) uses(graph.edge(edge).datum, "input");
    for (const DatumId datum : written[id.index()]) uses(datum, "output");
    text += "  </job>\n";
  }
  for (const TaskId id : graph.tasks()) {
    if (graph.in_edges(id).empty()) continue;
    fmt::format_to(out, "  <child ref=\"{}\">", xml_text(graph.task(id).name));
    for (const EdgeId edge : graph.in_edges(id))
      fmt::format_to(out, "<parent ref=\"{}\"/>", xml_text(graph.task(graph.edge(edge).from).name));
    text += "</child>\n";
  }
  return text + "</adag>\n";
}

}  // namespace takt
