#include "pipeline/planning/schedule_fit.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "logp/diagnostics.hpp"
#include "pipeline/program/execution.hpp"

namespace takt::pipeline {

namespace {

/// The objects to compare, and the name of the file for errors.
class Fit {
 public:
  Fit(const Pipeline& pipeline, const TaskGraph& graph, const std::string& file)
      : pipeline_(pipeline),
        expected_(pipeline.task_graph(std::vector<Time>(pipeline.stages.size(), Time{0}))),
        graph_(graph),
        file_(file) {}

  void check_tasks() const {
    std::vector<std::string_view> names;
    for (TaskId task : graph_.tasks()) names.push_back(graph_.task(task).name);
    for (const Stage& stage : pipeline_.stages)
      if (std::ranges::find(names, stage.name) == names.end())
        refuse(fmt::format("it lacks task '{}', a {} of the pipeline", stage.name, name_of(stage.kind)));
    for (TaskId task : graph_.tasks()) {
      const Task& found = graph_.task(task);
      const bool is_known = task.index() < expected_.task_count();
      if (!is_known || found.name != expected_.task(task).name)
        refuse(is_known && names.size() == expected_.task_count()
                   ? fmt::format("it has task '{}' in place of '{}': expected the order of the pipeline",
                                 found.name, expected_.task(task).name)
                   : unknown_name("task", found.name, stage_names()));
      // A schedule may run a source or a sink on several ranks, but need not.
      if (pipeline_.stages[task.index()].kind != StageKind::kernel) continue;
      if (found.stateless != expected_.task(task).stateless)
        refuse(fmt::format("task '{}' is {}, in the pipeline it is {}", found.name,
                           found.stateless ? "stateless" : "stateful",
                           found.stateless ? "stateful" : "stateless"));
    }
  }

  void check_travelling(const Schedule& schedule) const {
    for (const TaskId task : schedule.travelling)
      if (pipeline_.stages[task.index()].travelling.count == 0)
        refuse(
            fmt::format("the state of '{}' travels, but stays on one rank in this run: expected a kernel "
                        "that declares it, ranks of one node that share memory, and no --adapt",
                        graph_.task(task).name));
    if (schedule.repetition && !schedule.travelling.empty())
      refuse(
          fmt::format("the state of '{}' travels in a pipelined schedule: expected 'travelling' or "
                      "'repetition', not both",
                      graph_.task(schedule.travelling.front()).name));
  }

  void check_devices(const Schedule& schedule) const {
    for (const Device& device : schedule.devices)
      for (const DeviceUse& use : device.uses)
        if (pipeline_.stages[use.task.index()].depth == 0)
          refuse(fmt::format("task '{}' works on device '{}', but is not asynchronous",
                             graph_.task(use.task).name, device.name));
  }

  void check_edges() const {
    const auto has = [](const TaskGraph& graph, const Edge& wanted) {
      return std::ranges::any_of(graph.in_edges(wanted.to), [&](EdgeId in) {
        return graph.edge(in).from == wanted.from && graph.edge(in).size == wanted.size;
      });
    };
    const auto text = [&](const Edge& edge) {
      return fmt::format("{} -> {} of {}", expected_.task(edge.from).name, expected_.task(edge.to).name,
                         to_string(edge.size));
    };
    for (EdgeId id : expected_.edges())
      if (const Edge edge = expected_.edge(id); !has(graph_, edge))
        refuse(fmt::format("it lacks the connection {} of the pipeline", text(edge)));
    for (EdgeId id : graph_.edges())
      if (const Edge edge = graph_.edge(id); !has(expected_, edge))
        refuse(fmt::format("it has the connection {}, which the pipeline lacks", text(edge)));
  }

  void check_machine(const logp::Machine& machine) const {
    const std::size_t ranks = pipeline_.deployment.ranks;
    if (machine.processor_count() != ranks)
      refuse(fmt::format("it is for {} processors, the pipeline runs on {} rank{}: expected --ranks {}",
                         machine.processor_count(), ranks, ranks == 1 ? "" : "s", machine.processor_count()));
  }

  void check_schedule(const logp::Machine& machine, const Schedule& schedule, std::string_view where) const {
    const auto findings = logp::diagnose(graph_, machine, schedule, {.limit = 1});
    if (!findings.empty())
      refuse(fmt::format("the checker rejects it{}: {}: {}", where, findings.front().rule,
                         findings.front().message));
  }

  void check_ends(const Schedule& schedule) const {
    for (std::size_t i = 0; i < pipeline_.stages.size(); ++i) {
      const Stage& stage = pipeline_.stages[i];
      if (stage.kind == StageKind::kernel || stage.stateless) continue;
      std::size_t ranks = 0;
      bool is_in_order = true;
      for (const std::vector<Operation>& operations : schedule.processors) {
        std::vector<std::uint32_t> frames;
        std::vector<Time> starts;
        for (const Operation& operation : operations)
          if (operation.kind == OperationKind::compute && operation.subject == i) {
            frames.push_back(operation.instance);
            starts.push_back(operation.start);
          }
        if (frames.empty()) continue;
        ++ranks;
        is_in_order = is_in_order && std::ranges::is_sorted(frames);
        // The first frame of the next iteration follows the last one of this iteration.
        if (schedule.repetition)
          is_in_order = is_in_order && starts.back() < starts.front() + *schedule.repetition;
      }
      if (ranks > 1 || !is_in_order)
        refuse(
            fmt::format("{} the {} '{}': expected one rank that processes its frames in order, since the run "
                        "uses several hosts, may restart or re-plan, or the {}",
                        ranks > 1 ? "several ranks run" : "another frame order is set for",
                        name_of(stage.kind), stage.name,
                        stage.kind == StageKind::source ? "source sets the times of its frames"
                                                        : "sink needs its frames in their order"));
    }
  }

  void check_groups(const Schedule& schedule) const {
    try {
      (void)execution_of(pipeline_, graph_, schedule, [](std::size_t, std::size_t) { return true; });
    } catch (const ConfigError& error) {
      refuse(error.message());
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw ConfigError(fmt::format("{}: not a schedule of pipeline '{}': {}", file_, pipeline_.name, why));
  }
  [[nodiscard]] std::vector<std::string_view> stage_names() const {
    std::vector<std::string_view> names;
    for (const Stage& stage : pipeline_.stages) names.push_back(stage.name);
    return names;
  }

  const Pipeline& pipeline_;
  TaskGraph expected_;
  const TaskGraph& graph_;
  const std::string& file_;
};

}  // namespace

void check_ranks(const Pipeline& pipeline, const logp::Machine& machine) {
  const Deployment& deployment = pipeline.deployment;
  if (machine.processor_count() == deployment.ranks) return;
  throw ConfigError(
      deployment.machine_where,
      fmt::format("'deployment': the machine '{}' has {} processor{}, but the pipeline runs on "
                  "{} rank{}",
                  deployment.machine, machine.processor_count(), machine.processor_count() == 1 ? "" : "s",
                  deployment.ranks, deployment.ranks == 1 ? "" : "s"));
}

void check_fit(const Pipeline& pipeline, const TaskGraph& graph, const logp::Machine& machine,
               const Schedule& schedule, const std::string& file) {
  const Fit fit(pipeline, graph, file);
  fit.check_tasks();
  fit.check_travelling(schedule);
  fit.check_devices(schedule);
  fit.check_edges();
  fit.check_machine(machine);
  fit.check_schedule(machine, schedule, "");
  fit.check_ends(schedule);
  fit.check_groups(schedule);
  if (pipeline.deployment.machine.empty()) return;
  fit.check_schedule(logp::parse_machine(pipeline.deployment.machine), schedule,
                     fmt::format(" on machine '{}'", pipeline.deployment.machine));
}

}  // namespace takt::pipeline
