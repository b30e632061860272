#include "schedulers/mapping/annealing.hpp"

#include <cmath>
#include <optional>

#include "core/random.hpp"
#include "schedulers/mapping/recursive_clustering.hpp"

namespace takt::schedulers {

namespace {

/// A task that moves, and another one that replaces it, if any.
struct Step {
  TaskId task;
  ProcessorId to;
  std::optional<TaskId> other;
};

class Annealing {
 public:
  Annealing(const InteractionGraph& graph, std::vector<ProcessorId> start, std::uint64_t seed)
      : graph_(graph),
        draw_(seed),
        mapping_(graph, std::move(start)),
        best_(mapping_),
        least_(mapping_.cost()) {}

  std::vector<ProcessorId> run(std::uint64_t steps) && {
    constexpr double last_share = 1e-3;
    double temperature = mean_change();
    const double factor = std::pow(last_share, 1.0 / static_cast<double>(std::max<std::uint64_t>(1, steps)));
    double energy = energy_of(mapping_.cost());
    for (; steps > 0 && temperature > 0; --steps, temperature *= factor) {
      const Step step = draw_step();
      const ProcessorId from = mapping_.processor(step.task);
      apply(step);
      const MappingCost cost = mapping_.cost();
      const double change = energy_of(cost) - energy;
      if (change > 0 && draw_.unit() >= std::exp(-change / temperature)) {
        apply({step.task, from, step.other});
        continue;
      }
      energy += change;
      if (cost < least_) {
        least_ = cost;
        best_ = mapping_;
      }
    }
    improve(graph_, best_);
    return best_.processor_of();
  }

 private:
  [[nodiscard]] double energy_of(MappingCost cost) const {
    return static_cast<double>(cost.largest.count()) +
           static_cast<double>(cost.total.count()) / static_cast<double>(graph_.processor_count());
  }

  Step draw_step() {
    const TaskId task(draw_.below(graph_.task_count()));
    if (draw_.below(2) == 0) {
      const TaskId other(draw_.below(graph_.task_count()));
      return {task, mapping_.processor(other), other};
    }
    const std::size_t from = mapping_.processor(task).index();
    return {task,
            ProcessorId((from + 1 + draw_.below(graph_.processor_count() - 1)) % graph_.processor_count()),
            {}};
  }

  /// The same step with the task's previous processor undoes it.
  void apply(const Step& step) {
    const ProcessorId from = mapping_.processor(step.task);
    mapping_.move(step.task, step.to);
    if (step.other && *step.other != step.task) mapping_.move(*step.other, from);
  }

  /// Returns the mean change of the energy by a random step.
  double mean_change() {
    constexpr int samples = 100;
    const double energy = energy_of(mapping_.cost());
    double sum = 0;
    for (int i = 0; i < samples; ++i) {
      const Step step = draw_step();
      const ProcessorId from = mapping_.processor(step.task);
      apply(step);
      sum += std::abs(energy_of(mapping_.cost()) - energy);
      apply({step.task, from, step.other});
    }
    return sum / samples;
  }

  const InteractionGraph& graph_;
  Random draw_;
  Mapping mapping_, best_;
  MappingCost least_;
};

constexpr std::uint64_t default_steps_per_task = 200;

}  // namespace

std::vector<ProcessorId> annealing(const InteractionGraph& graph, const Options& options) {
  std::vector<ProcessorId> start = recursive_clustering(graph, options);
  if (graph.task_count() == 0 || graph.processor_count() == 1) return start;
  return Annealing(graph, std::move(start), options.seed)
      .run(options.effort.value_or(default_steps_per_task * graph.task_count()));
}

Schedule annealing(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  const InteractionGraph interactions(graph, machine);
  return schedule_of("annealing", interactions, machine, annealing(interactions, options), options);
}

}  // namespace takt::schedulers
