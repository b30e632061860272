#include "tests/schedulers/frequency/frequency_study.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/graphs/generators.hpp"
#include "core/random.hpp"
#include "core/system/processor_clock.hpp"
#include "logp/machine.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers::frequency_study {

namespace {

/// The `data=` of a generator.
std::string sizes_of(const Shape& shape, Sizes sizes, std::size_t seed) {
  if (sizes == Sizes::equal) return "10";
  if (sizes == Sizes::uniform) return "1..19";
  constexpr double exponent = 1.5, least = 10 * (exponent - 1) / exponent, most = 1000;
  Random draw(seed, 3);
  std::string text;
  for (std::size_t edge = 0; edge < generate(shape.graph).edge_count(); ++edge)
    text += fmt::format("{}{:.0f}", edge > 0 ? "/" : "",
                        std::min(most, least * std::pow(1 - draw.unit(), -1 / exponent)));
  return text;
}

}  // namespace

Outcome run(const Shape& shape, const Setting& setting, std::size_t seed) {
  const TaskGraph graph = generate(
      fmt::format("{},cost=1..100,data={},seed={}", shape.graph, sizes_of(shape, setting.sizes, seed), seed));
  const logp::Machine machine = logp::parse_machine(setting.machine);
  Outcome outcome;
  outcome.is_exact_run = graph.task_count() <= most_exact_tasks;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    Options options{.effort = effort, .frames = FrameClass::one_at_a_time};
    if (c == exact_column) {
      if (!outcome.is_exact_run) continue;
      options.effort = exact_effort;
    }
    // Processor time, which other load does not change.
    const ProcessorClock clock;
    const ProcessorTimes before = clock.now().value_or(ProcessorTimes{});
    Schedule schedule = find_scheduler(columns[c].scheduler).schedule(graph, machine, options);
    const std::uint64_t used = clock.now().value_or(before).used_ns - before.used_ns;
    Evaluation evaluation = judge(graph, machine, std::move(schedule));
    evaluation.figures.seconds = 1e-9 * static_cast<double>(used);
    if (!evaluation.figures.valid)
      throw WorkError(
          fmt::format("{} gives no valid schedule for {}, seed {}", columns[c].scheduler, shape.graph, seed));
    outcome.figures[c] = evaluation.figures;
  }
  // The best bound that any of them has proven holds for all.
  Period bound = outcome.figures.front().bound;
  for (const Figures& figures : outcome.figures) bound = std::max(bound, figures.bound);
  for (Figures& figures : outcome.figures) figures.bound = bound;
  return outcome;
}

std::vector<double> shares(const Cell& cell, std::size_t column) {
  std::vector<double> result;
  for (const Outcome& outcome : cell) result.push_back(1 / outcome.figures[column].ratio());
  std::sort(result.begin(), result.end());
  return result;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::size_t task_count(const Shape& shape) {
  return generate(shape.graph).task_count();
}

std::string mean_row(const Shape& shape, const Cell& cell) {
  std::string row = fmt::format("| {} | {} |", shape.name, task_count(shape));
  for (std::size_t c = 0; c < columns.size(); ++c)
    row += c == exact_column && !cell.front().is_exact_run ? " |"
                                                           : fmt::format(" {:.4f} |", mean(shares(cell, c)));
  return row;
}

std::string exact_row(const Shape& shape, const Cell& cell) {
  std::size_t proven = 0, equal = 0, relay = 0;
  double sum = 0, least = 1;
  for (const Outcome& outcome : cell) {
    const Figures& exact = outcome.figures[exact_column];
    relay += exact.optimal || exact.optimal_among.empty() ? 0 : 1;
    if (!exact.optimal) continue;
    const double share = exact.period() / outcome.figures[optfo_column].period();
    ++proven;
    equal += share >= 1 ? 1 : 0;
    sum += share;
    least = std::min(least, share);
  }
  if (proven == 0) return fmt::format("| {} | 0 | | | | {} |", shape.name, relay);
  return fmt::format("| {} | {} | {} | {:.5f} | {:.5f} | {} |", shape.name, proven, equal,
                     sum / static_cast<double>(proven), least, relay);
}

}  // namespace takt::schedulers::frequency_study
