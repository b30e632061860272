/// Does the time-cost trade-off by circulations agree
/// with independent linear programs in COIN-OR CLP?

#include "schedulers/moldable/trade_off.hpp"

#include <cmath>
#include <memory>
#include <vector>

#include <coin/Clp_C_Interface.h>
#include <gtest/gtest.h>

#include "tests/schedulers/moldable/examples.hpp"

namespace takt::schedulers {
namespace {

using moldable_tests::amdahl_graph;
using moldable_tests::measured_graph;

/// A linear program for minimisation, row by row.
class LinearProgram {
 public:
  static constexpr double infinite = 1e300;

  LinearProgram() : model_(Clp_newModel(), Clp_deleteModel) { Clp_setLogLevel(model_.get(), 0); }

  int add_variable(double least, double most, double cost) {
    Clp_addColumns(model_.get(), 1, &least, &most, &cost, starts(), nullptr, nullptr);
    return Clp_numberColumns(model_.get()) - 1;
  }
  struct Term {
    int variable;
    double factor;
  };
  void at_least(double bound, const std::vector<Term>& terms) {
    std::vector<int> columns;
    std::vector<double> factors;
    for (const Term& term : terms) {
      columns.push_back(term.variable);
      factors.push_back(term.factor);
    }
    const double most = infinite;
    const int row_starts[] = {0, static_cast<int>(terms.size())};
    Clp_addRows(model_.get(), 1, &bound, &most, row_starts, columns.data(), factors.data());
  }
  void equal(double value, std::vector<Term> terms) {
    at_least(value, terms);
    for (Term& term : terms) term.factor = -term.factor;
    at_least(-value, terms);
  }
  double minimum() {
    Clp_initialSolve(model_.get());
    EXPECT_EQ(Clp_status(model_.get()), 0);
    return Clp_objectiveValue(model_.get());
  }

 private:
  static const int* starts() {
    static constexpr int none[] = {0, 0};
    return none;
  }
  std::unique_ptr<Clp_Simplex, decltype(&Clp_deleteModel)> model_;
};

/// Divisor of the times, so that the program's numbers are near 1.
constexpr double scale = 1e9;

struct Point {
  double time, work;
};

std::vector<Point> points_of(const Task& task, const AllowedNumbers& allowed) {
  std::vector<Point> points;
  for (std::size_t p : allowed.of(task)) {
    const double time = task.time_on(p) / scale;
    points.push_back({time, time * static_cast<double>(p)});
  }
  return points;
}

/// Precedence over start times and durations, each given by the variables that bound it from below.
void add_precedence(LinearProgram& program, const TaskGraph& graph, int length,
                    const std::vector<std::vector<int>>& durations) {
  std::vector<int> start;
  for ([[maybe_unused]] TaskId task : graph.tasks())
    start.push_back(program.add_variable(0, LinearProgram::infinite, 0));
  for (TaskId task : graph.tasks())
    for (int duration : durations[task.index()]) {
      program.at_least(0, {{length, 1}, {start[task.index()], -1}, {duration, -1}});
      for (EdgeId edge : graph.out_edges(task))
        program.at_least(
            0, {{start[graph.edge(edge).to.index()], 1}, {start[task.index()], -1}, {duration, -1}});
    }
}

/// The least C with W <= m C: each task a mixture of its points, that is the hull by definition.
double bound_by_mixtures(const TaskGraph& graph, const AllowedNumbers& allowed, std::size_t processors) {
  LinearProgram program;
  const int length = program.add_variable(0, LinearProgram::infinite, 1);
  std::vector<LinearProgram::Term> area{{length, static_cast<double>(processors)}};
  std::vector<std::vector<int>> durations;
  for (TaskId task : graph.tasks()) {
    const int duration = program.add_variable(0, LinearProgram::infinite, 0);
    std::vector<LinearProgram::Term> sum, time{{duration, -1}};
    for (const Point& point : points_of(graph.task(task), allowed)) {
      const int share = program.add_variable(0, 1, 0);
      sum.push_back({share, 1});
      time.push_back({share, point.time});
      area.push_back({share, -point.work});
    }
    program.equal(1, sum);
    program.equal(0, time);
    durations.push_back({duration});
  }
  program.at_least(0, area);
  add_precedence(program, graph, length, durations);
  return program.minimum() * scale;
}

/// The paper's own program (section 4.1.1): an activity for each number of processors but the last.
double bound_by_activities(const TaskGraph& graph, const AllowedNumbers& allowed, std::size_t processors) {
  LinearProgram program;
  const int length = program.add_variable(0, LinearProgram::infinite, 1);
  std::vector<LinearProgram::Term> area{{length, static_cast<double>(processors)}};
  double fixed = 0;
  std::vector<std::vector<int>> durations;
  for (TaskId task : graph.tasks()) {
    const std::vector<Point> points = points_of(graph.task(task), allowed);
    const double shortest = points.back().time;
    fixed += points.front().work;
    std::vector<int>& activities = durations.emplace_back();
    activities.push_back(program.add_variable(shortest, shortest, 0));
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      if (points[i].time <= shortest * (1 + 1e-12)) continue;
      // omega = (T(i) - x) / (T(i) - T(m)) ((i + 1) T(i + 1) - i T(i))
      const double rate = (points[i + 1].work - points[i].work) / (points[i].time - shortest);
      activities.push_back(program.add_variable(shortest, points[i].time, 0));
      area.push_back({activities.back(), rate});
      fixed += rate * points[i].time;
    }
  }
  program.at_least(fixed, area);
  add_precedence(program, graph, length, durations);
  return program.minimum() * scale;
}

TEST(TradeOff, equals_a_linear_program_over_mixtures_of_points) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed)
    for (const bool measured : {false, true})
      for (const std::size_t processors : {2U, 7U, 40U, 300U}) {
        const TaskGraph graph = measured ? measured_graph(seed, 14) : amdahl_graph(seed, 14);
        const AllowedNumbers allowed(std::min<std::size_t>(processors, 33), {});
        const double expected = bound_by_mixtures(graph, allowed, processors);
        const TradeOff found = best_trade_off(graph, allowed, processors, TradeOffCost::hull);
        EXPECT_NEAR(found.bound / expected, 1, 2e-7) << seed << ' ' << processors << ' ' << measured;
      }
}

TEST(TradeOff, equals_the_papers_program_over_activities) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed)
    for (const bool measured : {false, true})
      for (const std::size_t processors : {3U, 20U, 200U}) {
        const TaskGraph graph = measured ? measured_graph(seed, 9) : amdahl_graph(seed, 9);
        const AllowedNumbers allowed(std::min<std::size_t>(processors, 16), {});
        const double expected = bound_by_activities(graph, allowed, processors);
        const TradeOff found = best_trade_off(graph, allowed, processors, TradeOffCost::activities);
        EXPECT_NEAR(found.bound / expected, 1, 2e-7) << seed << ' ' << processors << ' ' << measured;
      }
}

TEST(TradeOff, of_few_numbers_equals_a_linear_program_too) {
  for (std::uint64_t seed = 21; seed <= 26; ++seed) {
    const TaskGraph graph = amdahl_graph(seed, 20);
    const AllowedNumbers allowed(216, 20);
    EXPECT_NEAR(best_trade_off(graph, allowed, 545, TradeOffCost::activities).bound /
                    bound_by_activities(graph, allowed, 545),
                1, 2e-7);
  }
}

}  // namespace
}  // namespace takt::schedulers
