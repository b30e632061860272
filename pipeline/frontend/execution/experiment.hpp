#pragma once
/// Plans of a program by many schedulers, executed: planned times next to measured ones.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "logp/machine.hpp"
#include "pipeline/frontend/communication/insertion.hpp"
#include "pipeline/frontend/weights/program_graph.hpp"
#include "schedulers/judge/comparison_row.hpp"

namespace takt::frontend {

/// A program with a way to run it.
struct PlannedProgram {
  /// A scheduler, or `owner computes, block`; and its family.
  std::string scheduler;
  std::string family;
  /// Nothing if the scheduler refused or failed; `error` has the reason.
  std::optional<ParallelProgram> parallel = {};
  std::string error = {};
  /// The length of the scheduler's own plan, and that of the program with its inserted communication.
  Time planned{0};
  Time predicted{0};
  /// Of all ranks on average, as predicted: the share of the makespan spent in calls.
  double predicted_use = 0;
  /// Time of the scheduler.
  double seconds = 0;
};

/// What the runs of a planned program measured.
struct Execution {
  std::vector<Time> makespans;
  /// Means over the runs, as shares of ranks times makespan: in calls; and in messages, with the waits.
  double use = 0;
  double communication = 0;

  [[nodiscard]] double mean() const;
  /// Standard deviation of the makespans, in ns; 0 for one run.
  [[nodiscard]] double deviation() const;
  [[nodiscard]] Time shortest() const;
};

struct ExperimentRow {
  PlannedProgram plan;
  /// Nothing without a plan, and where the computer has fewer processors than the plan ranks: the predicted
  /// times then stand for executed ones.
  std::optional<Execution> execution = {};

  /// Returns the mean executed makespan, or the predicted one, in ns.
  [[nodiscard]] double executed() const;
  /// The same for the shortest execution.
  [[nodiscard]] double shortest() const;
};

/// One program on a number of ranks.
struct Experiment {
  std::string program;
  std::size_t calls = 0;
  std::size_t ranks = 0;
  /// Runs of each program; 0: simulated.
  std::size_t runs = 0;
  /// All calls on one rank: the base of the speed-ups.
  ExperimentRow sequential;
  std::vector<ExperimentRow> rows;

  [[nodiscard]] bool is_simulated() const { return runs == 0; }
  /// Kendall's tau of planned and executed times, and among the pairs whose plans differ by more than 5 %,
  /// by mean and by shortest executions, with the number of these pairs.
  struct Order {
    double tau = 0;
    double tau_apart = 0;
    double tau_shortest = 0;
    std::size_t pairs_apart = 0;
  };
  [[nodiscard]] Order order() const;
};

/// Makes the programs of schedules of the program's graph, as rows of schedulers::compare with schedules;
/// then those of owner computes with the three distributions.
[[nodiscard]] std::vector<PlannedProgram> planned_programs(
    const WeightedProgram& program, const logp::Machine& machine,
    const std::vector<schedulers::ComparisonRow>& schedules);

/// Returns the plan of all calls on one rank.
[[nodiscard]] PlannedProgram sequential_plan(const WeightedProgram& program);

/// Executes all plans `runs` times, in turns, so that disturbances of the computer reach all of them alike.
/// Plans with equal steps are executed once and share their times. Without runs nothing is executed. Calls
/// `report` with the number of finished steps and all steps. Throws WorkError if a program fails, or if it
/// prints other than the sequential program.
[[nodiscard]] Experiment execute_plans(const std::string& name, const WeightedProgram& program,
                                       std::vector<PlannedProgram> plans, std::size_t ranks, std::size_t runs,
                                       const std::function<void(std::size_t, std::size_t)>& report = {});

}  // namespace takt::frontend
