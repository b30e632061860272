#include "pipeline/config/connections.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "pipeline/calls/several_outputs.hpp"

namespace takt::pipeline {

namespace {

/// Returns the names of a task's outputs after the first one.
std::vector<std::string> further_outputs(const Draft& draft, const KernelRegistry& kernels) {
  const KernelKind* const kind = draft.kind == StageKind::kernel ? kernels.find(draft.type) : nullptr;
  return kind == nullptr ? std::vector<std::string>{} : kind->further_outputs;
}

/// The ports of tasks with several outputs.
class Ports {
 public:
  Ports(std::vector<Draft>& drafts, const KernelRegistry& kernels) : drafts_(drafts) {
    // A task of which only the first output is used needs no ports.
    const std::size_t count = drafts.size();
    for (std::size_t task = 0; task < count; ++task) {
      const std::vector<std::string> names = further_outputs(drafts[task], kernels);
      if (names.empty()) continue;
      for (std::size_t i = 0; i < names.size(); ++i)
        add_if_taken(task, i + 1, fmt::format("{}.{}", drafts[task].name, names[i]), count);
      if (drafts[task].has_ports)
        add_if_taken(task, 0, fmt::format("{}.{}", drafts[task].name, first_output), count);
    }
  }

 private:
  void add_if_taken(std::size_t task, std::size_t port, const std::string& name, std::size_t count) {
    const std::string wanted = port == 0 ? drafts_[task].name : name;
    std::optional<SourceLocation> where;
    for (std::size_t i = 0; i < count; ++i)
      for (Draft::Input& input : drafts_[i].inputs)
        if (input.name == wanted || input.name == name) {
          input.from = drafts_.size();
          if (!where) where = input.where;
        }
    if (!where) return;
    drafts_[task].has_ports = true;
    ErrorList no_errors;
    Draft draft{.kind = StageKind::kernel, .name = name, .where = *where, .type = std::string(port_type)};
    draft.inputs.push_back({drafts_[task].name, *where, task});
    draft.parameters.emplace(std::vector<ParameterSpec>{}, std::map<std::string, Parameters::Value>{}, *where,
                             no_errors);
    draft.port = port;
    drafts_.push_back(std::move(draft));
  }

  std::vector<Draft>& drafts_;
};

/// Describes the fault of `trigger.event`, if a task `trigger` exists.
std::optional<std::string> wrong_output(const std::vector<Draft>& drafts, const KernelRegistry& kernels,
                                        const std::string& input) {
  const std::size_t dot = input.rfind('.');
  if (dot == std::string::npos) return std::nullopt;
  const auto task = std::ranges::find(drafts, input.substr(0, dot), &Draft::name);
  if (task == drafts.end() || task->kind == StageKind::sink) return std::nullopt;
  const std::vector<std::string> names = further_outputs(*task, kernels);
  if (names.empty()) return fmt::format("{} has one output: expected '{}'", task->title(), task->name);
  return fmt::format("{}: {}", task->title(),
                     unknown_name("output", input.substr(dot + 1), {names.begin(), names.end()}));
}

/// Sets Input::from of all inputs. Returns true if every name was found.
bool find_inputs(std::vector<Draft>& drafts, const KernelRegistry& kernels, ErrorList& errors) {
  const Ports ports(drafts, kernels);
  std::vector<std::string_view> producers;
  for (const Draft& draft : drafts)
    if (draft.kind != StageKind::sink && !draft.port) producers.push_back(draft.name);

  bool all_are_known = true;
  for (Draft& draft : drafts) {
    if (draft.inputs.empty() && draft.kind != StageKind::source) all_are_known = false;
    for (Draft::Input& input : draft.inputs) {
      if (input.from) continue;
      if (const auto wrong = wrong_output(drafts, kernels, input.name)) {
        errors.add(input.where, fmt::format("{}: {}", draft.title(), *wrong));
        draft.is_broken = true;
        all_are_known = false;
        continue;
      }
      const auto found = std::ranges::find(drafts, input.name, &Draft::name);
      if (found != drafts.end() && found->kind != StageKind::sink) {
        input.from = static_cast<std::size_t>(found - drafts.begin());
        continue;
      }
      const std::string message = found == drafts.end()
                                      ? unknown_name("input", input.name, producers)
                                      : fmt::format("'{}' is a sink: it has no output", input.name);
      errors.add(input.where, fmt::format("{}: {}", draft.title(), message));
      draft.is_broken = true;
      all_are_known = false;
    }
  }
  return all_are_known;
}

/// An unused output wastes time and is more likely a mistake than intended.
void check_consumers(const std::vector<Draft>& drafts, ErrorList& errors) {
  std::vector<bool> is_taken(drafts.size());
  for (const Draft& draft : drafts)
    for (const Draft::Input& input : draft.inputs) is_taken[*input.from] = true;
  for (std::size_t i = 0; i < drafts.size(); ++i)
    if (!is_taken[i] && drafts[i].kind != StageKind::sink)
      errors.add(
          drafts[i].where,
          fmt::format("{0}: its output is unused; give a task or a sink `input: {1}` (a sink of type null "
                      "discards it)",
                      drafts[i].title(), drafts[i].name));
}

/// Reports a cycle among the unfinished stages and marks its stages as broken. Returns the first of them.
std::size_t break_cycle(std::vector<Draft>& drafts, const std::vector<bool>& is_done, ErrorList& errors) {
  // Each unfinished stage waits for another one, so a walk along the inputs must revisit a stage.
  auto at = static_cast<std::size_t>(std::ranges::find(is_done, false) - is_done.begin());
  std::vector<std::size_t> walk;
  while (std::ranges::find(walk, at) == walk.end()) {
    walk.push_back(at);
    for (const Draft::Input& input : drafts[at].inputs)
      if (input.from && !is_done[*input.from]) {
        at = *input.from;
        break;
      }
  }
  walk.erase(walk.begin(), std::ranges::find(walk, at));
  std::ranges::reverse(walk);
  std::ranges::rotate(walk, std::ranges::min_element(walk));

  std::string names;
  for (std::size_t i : walk) {
    names += drafts[i].name + " -> ";
    drafts[i].is_broken = true;
  }
  const Draft& first = drafts[walk.front()];
  errors.add(first.where, fmt::format("the tasks form a cycle: {}{}", names, first.name));
  return walk.front();
}

/// Returns the stages after their inputs, otherwise in their order. O(n^2); pipelines are small.
std::vector<std::size_t> topological_order(std::vector<Draft>& drafts, ErrorList& errors) {
  std::vector<std::size_t> order;
  std::vector<bool> is_done(drafts.size());
  const auto is_open = [&](const Draft::Input& input) { return input.from && !is_done[*input.from]; };
  while (order.size() < drafts.size()) {
    std::size_t next = 0;
    while (next < drafts.size() && (is_done[next] || std::ranges::any_of(drafts[next].inputs, is_open)))
      ++next;
    if (next == drafts.size()) next = break_cycle(drafts, is_done, errors);
    is_done[next] = true;
    order.push_back(next);
  }
  return order;
}

}  // namespace

void connect(std::vector<Draft>& drafts, const KernelRegistry& kernels, ErrorList& errors) {
  if (find_inputs(drafts, kernels, errors)) check_consumers(drafts, errors);

  const std::vector<std::size_t> order = topological_order(drafts, errors);
  std::vector<std::size_t> position(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  std::vector<Draft> sorted;
  for (std::size_t i : order) {
    for (Draft::Input& input : drafts[i].inputs)
      if (input.from) input.from = position[*input.from];
    sorted.push_back(std::move(drafts[i]));
  }
  drafts = std::move(sorted);
}

}  // namespace takt::pipeline
