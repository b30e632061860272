#include "schedulers/judge/comparison.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "core/graphs/core_types.hpp"
#include "schedulers/judge/bounded_rows.hpp"

namespace takt::schedulers {

namespace {

void fill_row(ComparisonRow& row, const Scheduler& scheduler, const TaskGraph& graph,
              const logp::Machine& machine, const Options& options, bool keeps_schedule) {
  try {
    Evaluation evaluation = evaluate(scheduler, graph, machine, options);
    row.figures = evaluation.figures;
    if (!evaluation.findings.empty()) row.error = evaluation.findings.front().message;
    if (keeps_schedule) row.schedule = std::move(evaluation.schedule);
  } catch (const std::exception& failure) {
    row.error = failure.what();
  }
}

/// The best schedule that a scheduler has reported, by its objective.
class BestSoFar {
 public:
  void add(const Schedule& schedule, Objective made_for) {
    const ScheduleMetrics metrics = measure(schedule);
    const Key key = made_for == Objective::makespan
                        ? Key{{metrics.makespan, 1}, metrics.processors_used, metrics.repetition}
                        : Key{metrics.exact_period(), metrics.processors_used, metrics.makespan};
    const std::scoped_lock lock(changing_);
    if (best_ && key >= key_) return;
    best_ = schedule;
    key_ = key;
  }
  [[nodiscard]] std::optional<Schedule> schedule() const {
    const std::scoped_lock lock(changing_);
    return best_;
  }

 private:
  using Key = std::tuple<Period, std::size_t, Time>;
  mutable std::mutex changing_;
  std::optional<Schedule> best_;
  Key key_;
};

/// Returns the row of the best schedule that a scheduler had found when it was stopped.
ComparisonRow row_so_far(const Scheduler& scheduler, const TaskGraph& graph, const logp::Machine& machine,
                         std::optional<Schedule> found, std::chrono::duration<double> limit) {
  ComparisonRow row;
  if (!found) return row;
  found->scheduler = scheduler.name;
  Evaluation evaluation = judge(graph, machine, *std::move(found));
  row.figures = evaluation.figures;
  row.figures->seconds = limit.count();
  if (!evaluation.findings.empty()) row.error = evaluation.findings.front().message;
  row.schedule = std::move(evaluation.schedule);
  return row;
}

/// Like fill_bounded(), but in threads and without a limit.
void fill_in_threads(std::size_t count, std::size_t threads,
                     const std::function<ComparisonRow(std::size_t)>& fill,
                     const std::function<void(std::size_t, ComparisonRow)>& done) {
  std::atomic<std::size_t> next{0};
  std::mutex reporting;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      ComparisonRow row = fill(i);
      const std::scoped_lock lock(reporting);
      done(i, std::move(row));
    }
  };
  std::vector<std::jthread> others;
  for (std::size_t t = 1; t < std::min(threads, count); ++t) others.emplace_back(work);
  work();
}

/// Marks rows with a bound above another valid schedule's value: the bound and its proofs are wrong.
void expose_wrong_bounds(std::span<ComparisonRow> instance) {
  std::vector<bool> is_wrong(instance.size());
  for (const ComparisonRow& other : instance)
    for (std::size_t i = 0; i < instance.size(); ++i) {
      ComparisonRow& row = instance[i];
      if (!row.figures || !other.is_valid()) continue;
      const bool is_makespan = other.figures->makespan < row.figures->makespan_bound;
      // A bound of one frame at a time does not apply to several frames.
      const bool is_of_other = row.figures->bound_among.empty() || other.figures->replicas == 1;
      if (!is_makespan && !(is_of_other && other.figures->exact_period() < row.figures->bound)) continue;
      is_wrong[i] = true;
      row.error = fmt::format("its lower bound of the {} is above what '{}' reaches",
                              is_makespan ? "makespan" : "period", other.scheduler);
    }
  for (std::size_t i = 0; i < instance.size(); ++i)
    if (is_wrong[i]) instance[i].figures->valid = false;
}

/// Raises all rows to the best bound: every bound of an instance holds for all schedulers.
void share_bounds(std::span<ComparisonRow> instance) {
  expose_wrong_bounds(instance);
  Time makespan_bound{0};
  Figures best;
  for (const ComparisonRow& row : instance) {
    if (!row.is_valid()) continue;
    makespan_bound = std::max(makespan_bound, row.figures->makespan_bound);
    best.raise_bound(row.figures->bound, row.figures->bound_among);
  }
  for (ComparisonRow& row : instance) {
    if (!row.figures) continue;
    Figures& figures = *row.figures;
    figures.makespan_bound = std::max(figures.makespan_bound, makespan_bound);
    figures.bound = best.bound;
    figures.bound_among = best.bound_among;
    if (figures.valid && figures.exact_period() == best.bound) figures.optimal = true;
  }
}

void add_scores(std::span<ComparisonRow> instance) {
  double best = 0;
  for (const ComparisonRow& row : instance)
    if (row.is_valid()) best = std::max(best, row.figures->frequency());
  for (ComparisonRow& row : instance)
    if (row.is_valid() && best > 0) row.score = 10 * row.figures->frequency() / best;
}

}  // namespace

std::vector<ComparisonRow> compare(const ComparisonInput& input, std::size_t jobs,
                                   const std::function<void(const ComparisonProgress&)>& report) {
  std::vector<ComparisonRow> rows;
  for (const auto& [graph_name, graph] : input.graphs)
    for (const auto& [machine_name, machine] : input.machines)
      for (const Scheduler* scheduler : input.schedulers)
        rows.push_back({graph_name,
                        machine_name,
                        std::string(scheduler->name),
                        std::nullopt,
                        {},
                        std::string(scheduler->family)});

  const std::size_t per_machine = input.schedulers.size(), per_graph = per_machine * input.machines.size();
  struct Subject {
    const Scheduler& scheduler;
    const TaskGraph& graph;
    const logp::Machine& machine;
  };
  // Graphs with work by type of core, on each machine.
  std::map<std::size_t, TaskGraph> typed;
  for (std::size_t i = 0; i < rows.size(); i += per_machine)
    if (const TaskGraph& graph = input.graphs[i / per_graph].second; !graph.core_types().empty())
      typed.emplace(i / per_machine,
                    with_core_types(graph, input.machines[i % per_graph / per_machine].second.platform()));
  const auto subject = [&](std::size_t i) {
    const auto of_types = typed.find(i / per_machine);
    return Subject{*input.schedulers[i % per_machine],
                   of_types == typed.end() ? input.graphs[i / per_graph].second : of_types->second,
                   input.machines[i % per_graph / per_machine].second};
  };
  const auto filled = [&](std::size_t i, const Options& options) {
    ComparisonRow row;
    fill_row(row, subject(i).scheduler, subject(i).graph, subject(i).machine, options, input.keeps_schedules);
    return row;
  };
  std::size_t count = 0, failed = 0;
  const auto done = [&](std::size_t i, ComparisonRow row) {
    rows[i].figures = std::move(row.figures);
    rows[i].error = std::move(row.error);
    rows[i].was_stopped = row.was_stopped;
    rows[i].schedule = std::move(row.schedule);
    ++count;
    if (!rows[i].is_valid()) ++failed;
    if (report) report({count, rows.size(), failed, rows[i]});
  };
  if (input.time_limit) {
    // Each process has its own, for its one row.
    BestSoFar best;
    const auto whole = [&](std::size_t i) {
      const ScheduleListener listener = [&](const Schedule& schedule) {
        best.add(schedule, subject(i).scheduler.traits.made_for);
      };
      Options options = input.options;
      options.listener = &listener;
      return filled(i, options);
    };
    const auto so_far = [&](std::size_t i) {
      const auto& [scheduler, graph, machine] = subject(i);
      return row_so_far(scheduler, graph, machine, best.schedule(), *input.time_limit);
    };
    fill_bounded(rows.size(), jobs, *input.time_limit, {whole, so_far}, done);
  } else {
    fill_in_threads(
        rows.size(), jobs, [&](std::size_t i) { return filled(i, input.options); }, done);
  }
  for (std::size_t first = 0; first < rows.size(); first += per_machine) {
    share_bounds(std::span(rows).subspan(first, per_machine));
    add_scores(std::span(rows).subspan(first, per_machine));
  }
  return rows;
}

std::vector<std::span<const ComparisonRow>> instances_of(const std::vector<ComparisonRow>& rows) {
  std::vector<std::span<const ComparisonRow>> instances;
  std::size_t first = 0;
  for (std::size_t i = 1; i <= rows.size(); ++i) {
    // If a graph or machine is given twice, a scheduler's second row begins an instance of its own.
    if (i < rows.size() && rows[i].graph == rows[first].graph && rows[i].machine == rows[first].machine &&
        rows[i].scheduler != rows[first].scheduler)
      continue;
    instances.push_back(std::span(rows).subspan(first, i - first));
    first = i;
  }
  return instances;
}

}  // namespace takt::schedulers
