#include "tests/schedulers/exact/constraint_model.hpp"

#include <vector>

#include <fmt/format.h>
#include <z3++.h>

namespace takt::schedulers::oracle {

namespace {

class Model {
 public:
  Model(const TaskGraph& graph, const logp::Machine& machine)
      : graph_(graph), machine_(machine), solver_(context_), on_(graph.task_count()) {
    for (TaskId task : graph.tasks()) add_task(task);
    for (TaskId a : graph.tasks())
      for (TaskId b : graph.tasks())
        if (a < b)
          for (ProcessorId p : machine.processors())
            solver_.add(z3::implies(on(a, p) && on(b, p), end(a) <= start(b) || end(b) <= start(a)));
    for (EdgeId id : graph.edges()) add_edge(graph.edge(id));
  }

  void require_end(std::int64_t length) {
    for (TaskId task : graph_.tasks()) solver_.add(end(task) <= number(length));
  }
  void require_window(std::int64_t period) {
    for (ProcessorId p : machine_.processors()) {
      const z3::expr from = context_.int_const(fmt::format("window{}", p.index()).c_str());
      for (TaskId task : graph_.tasks())
        solver_.add(z3::implies(on(task, p), start(task) >= from && end(task) <= from + number(period)));
    }
  }
  bool has_solution() {
    const z3::check_result result = solver_.check();
    if (result == z3::unknown) throw z3::exception("no answer");
    return result == z3::sat;
  }

 private:
  void add_task(TaskId task) {
    start_.push_back(context_.int_const(fmt::format("start{}", task.index()).c_str()));
    end_.push_back(context_.int_const(fmt::format("end{}", task.index()).c_str()));
    z3::expr somewhere = context_.bool_val(false);
    for (ProcessorId p : machine_.processors()) {
      on_[task.index()].push_back(
          context_.bool_const(fmt::format("on{}_{}", task.index(), p.index()).c_str()));
      somewhere = somewhere || on(task, p);
      const auto duration = machine_.duration(graph_, task, p).count();
      solver_.add(z3::implies(on(task, p), end(task) == start(task) + number(duration)));
      for (ProcessorId q : machine_.processors())
        if (q < p) solver_.add(!(on(task, p) && on(task, q)));
    }
    solver_.add(somewhere && start(task) >= 0);
  }

  void add_edge(const Edge& edge) {
    for (ProcessorId p : machine_.processors())
      for (ProcessorId q : machine_.processors()) {
        const std::int64_t latency = p == q ? 0 : machine_.latency(p, q, edge.size).count();
        solver_.add(z3::implies(on(edge.from, p) && on(edge.to, q),
                                start(edge.to) >= end(edge.from) + number(latency)));
      }
  }

  z3::expr number(std::int64_t value) { return context_.int_val(value); }
  const z3::expr& start(TaskId task) const { return start_[task.index()]; }
  const z3::expr& end(TaskId task) const { return end_[task.index()]; }
  const z3::expr& on(TaskId task, ProcessorId p) const { return on_[task.index()][p.index()]; }

  const TaskGraph& graph_;
  const logp::Machine& machine_;
  z3::context context_;
  z3::solver solver_;
  std::vector<z3::expr> start_, end_;
  std::vector<std::vector<z3::expr>> on_;
};

}  // namespace

bool has_makespan_within(const TaskGraph& graph, const logp::Machine& machine, std::int64_t length) {
  Model model(graph, machine);
  model.require_end(length);
  return model.has_solution();
}

bool has_period_within(const TaskGraph& graph, const logp::Machine& machine, std::int64_t period) {
  Model model(graph, machine);
  model.require_window(period);
  return model.has_solution();
}

}  // namespace takt::schedulers::oracle
