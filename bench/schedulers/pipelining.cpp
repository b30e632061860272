/// How close do pipelined schedules come to the bound of free interleaving?
///
///     pipelining [SEEDS] > table.md
///
/// Prints the table of docs/reproduction/pipelining.md: the shapes of the thesis with works of 1 to 1000,
/// state in every task, and data whose mean latency is the given share of the mean work (CCR); sends and
/// receives occupy processors for a tenth of it. All costs are whole ticks: where costs are rounded, bounds
/// cannot tell how often. Two seeds by default.
/// Every schedule passes the checker, or the program ends with an error.

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "core/graphs/generators.hpp"
#include "schedulers/judge/evaluation.hpp"
#include "schedulers/registry/registry.hpp"

namespace {

using namespace takt;
using namespace takt::schedulers;

constexpr std::array<std::string_view, 6> shapes{"send_tree:depth=4", "receive_tree:depth=4",
                                                 "fft:depth=3",       "inverse_fft:depth=3",
                                                 "diamond:depth=10",  "wave:depth=5,width=6"};
constexpr std::array<std::size_t, 3> processors{3, 8, 64};
constexpr std::array<double, 3> ratios{0.1, 0.5, 1};
/// A sixth of the default.
constexpr std::uint64_t effort = 125'000;

/// Bound over period for both classes, and how often the wider one meets the bound.
struct Row {
  double pipelined = 0, one_at_a_time = 0;
  int met = 0, count = 0;
};

double share(const TaskGraph& graph, const logp::Machine& machine, FrameClass frames, double bound,
             double* widest_bound, bool* met) {
  const Evaluation made =
      evaluate(find_scheduler("optfo"), graph, machine, {.effort = effort, .frames = frames});
  if (!made.figures.valid) throw std::runtime_error("the checker refuses a schedule");
  if (widest_bound != nullptr) bound = *widest_bound = made.figures.lower_bound();
  if (met != nullptr) *met = made.figures.optimal;
  return bound / made.figures.period();
}

Row row_of(std::string_view machine_text, std::size_t count, double ratio, int seeds) {
  Row row;
  const logp::Machine machine = logp::parse_machine(fmt::format(fmt::runtime(machine_text), count));
  for (const std::string_view shape : shapes)
    for (int seed = 1; seed <= seeds; ++seed) {
      const TaskGraph graph =
          generate(fmt::format("{},cost=1..1000,data=1..{},seed={}", shape, std::lround(100 * ratio), seed));
      double bound = 0;
      bool met = false;
      row.pipelined += share(graph, machine, FrameClass::pipelined, 0, &bound, &met);
      row.one_at_a_time += share(graph, machine, FrameClass::one_at_a_time, bound, nullptr, nullptr);
      row.met += met ? 1 : 0;
      ++row.count;
    }
  return row;
}

}  // namespace

int main(int argument_count, char** arguments) {
  const int seeds = argument_count > 1 ? std::atoi(arguments[1]) : 2;
  fmt::print(
      "| messages | P | CCR | bound / period | bound met | one frame at a time "
      "|\n|---|--:|--:|--:|--:|--:|\n");
  for (const auto& [name, machine] : {std::pair<std::string_view, std::string_view>{
                                          "occupy no processor", "loglinear:P={},L=0+10,o=0+0,g=0+0"},
                                      {"occupy both ends", "loglinear:P={},L=0+10,o=0+1,g=0+1"}})
    for (const std::size_t count : processors)
      for (const double ratio : ratios) {
        const Row row = row_of(machine, count, ratio, seeds);
        fmt::print("| {} | {} | {} | {:.3f} | {} of {} | {:.3f} |\n", name, count, ratio,
                   row.pipelined / row.count, row.met, row.count, row.one_at_a_time / row.count);
        std::fflush(stdout);
      }
  return 0;
}
