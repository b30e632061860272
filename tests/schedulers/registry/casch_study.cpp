#include "tests/schedulers/registry/casch_study.hpp"

#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "core/generators.hpp"
#include "core/random.hpp"
#include "core/schedule.hpp"
#include "schedulers/delay/assignment.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers::casch {

namespace {

/// Table 1: 150 us + 0.40 us a byte, as configs/machines/paragon.yaml; processors for which table 5 fits.
constexpr std::string_view paragon = "loglinear:P=64,L=150000+400";

constexpr int points_a_column = 8;
/// Complex numbers.
constexpr int bytes_a_point = 16;

int columns_of(int points) {
  return points / points_a_column;
}

/// InterMult goes over a column once, IntraMult log2 times; the serial parts do nothing but pass data on.
TaskGraph fft(int points, Time point) {
  const int columns = columns_of(points), depth = std::countr_zero(static_cast<unsigned>(columns));
  std::string costs = "0";
  for (int layer = 0; layer <= depth; ++layer)
    for (int column = 0; column < columns; ++column)
      costs += fmt::format("/{}", points_a_column * point.count() * (layer < depth ? 1 : 3));
  return generate(fmt::format("casch_fft:depth={},host=1,data={},cost={}/0", depth,
                              points_a_column * bytes_a_point, costs));
}
/// Task 0 and the last one are the host's.
std::size_t column_of(int points, std::size_t task) {
  const auto columns = static_cast<std::size_t>(columns_of(points));
  return task == 0 ? 0 : (task - 1) % columns;
}

/// A grid point is a block of 8 x 8, whose borders its neighbours need.
TaskGraph laplace(int side, Time point) {
  std::string costs = "0";
  for (int i = 0; i < side * side; ++i) costs += fmt::format("/{}", 64 * point.count());
  return generate(fmt::format("laplace:size={},host=1,data={},cost={}/0", side, 8 * 8, costs));
}
/// Diagonals are numbered in turn, from the top of each; partitions are blocks of rows.
std::size_t row_of(int side, std::size_t task) {
  if (task == 0) return 0;
  std::size_t left = task - 1;
  const auto n = static_cast<std::size_t>(side);
  for (std::size_t diagonal = 0; diagonal + 1 < 2 * n; ++diagonal) {
    const std::size_t first = diagonal < n ? 0 : diagonal - n + 1,
                      count = std::min(diagonal, n - 1) + 1 - first;
    if (left < count) return first + left;
    left -= count;
  }
  return n - 1;
}

double sign(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

}  // namespace

const std::vector<Application>& applications() {
  static const std::vector<Application> all{{"Table 2, FFT",
                                             "points",
                                             {512, 1024, 2048, 4096},
                                             fft,
                                             column_of,
                                             {{"DCP", "dcp", {0.64, 0.85, 1.27, 1.74}},
                                              {"DSC", "dsc", {0.71, 1.08, 1.61, 2.38}},
                                              {"EZ", "ez", {0.78, 1.47, 2.25, 3.81}},
                                              {"LC", "lc", {0.81, 1.46, 2.34, 3.82}},
                                              {"MD", "md", {0.73, 1.23, 2.20, 3.68}},
                                              {"ETF", "etf", {0.76, 1.23, 2.09, 3.44}},
                                              {"HLFET", "hlfet", {1.40, 3.00, 6.77, 13.38}},
                                              {"ISH", "ish", {0.73, 1.01, 1.46, 2.30}},
                                              {"LAST", "last", {0.86, 1.95, 4.29, 8.49}},
                                              {"MCP", "mcp", {0.72, 1.10, 1.88, 2.69}},
                                              {"DLS", "dls", {0.73, 1.27, 1.87, 3.21}},
                                              {"BSA", "bsa", {0.74, 0.99, 1.47, 2.01}},
                                              {"BU", "bu", {0.86, 1.71, 3.36, 6.19}},
                                              {"DLS (APN)", "dls_apn", {0.79, 1.21, 1.94, 3.26}},
                                              {"MH", "mh", {0.72, 1.13, 1.83, 2.60}},
                                              {"randsch", "", {2.65, 7.14, 22.11, 62.58}}}},
                                            {"Table 3, Laplace equation",
                                             "rows",
                                             {8, 16, 32, 64},
                                             laplace,
                                             row_of,
                                             {{"DCP", "dcp", {1.06, 6.08, 16.02, 75.01}},
                                              {"DSC", "dsc", {1.34, 6.30, 16.42, 88.12}},
                                              {"EZ", "ez", {1.44, 6.95, 18.28, 94.03}},
                                              {"LC", "lc", {1.25, 6.95, 18.81, 100.52}},
                                              {"MD", "md", {1.25, 6.52, 17.08, 83.09}},
                                              {"ETF", "etf", {1.25, 6.73, 17.75, 80.31}},
                                              {"HLFET", "hlfet", {1.34, 7.60, 32.71, 195.99}},
                                              {"ISH", "ish", {1.34, 7.39, 17.08, 70.85}},
                                              {"LAST", "last", {1.54, 7.17, 19.87, 106.75}},
                                              {"MCP", "mcp", {1.54, 6.52, 16.95, 80.74}},
                                              {"DLS", "dls", {1.34, 6.30, 17.22, 94.25}},
                                              {"BSA", "bsa", {1.25, 6.95, 18.81, 83.17}},
                                              {"BU", "bu", {3.26, 7.60, 20.13, 113.95}},
                                              {"DLS (APN)", "dls_apn", {1.92, 8.69, 23.25, 108.75}},
                                              {"MH", "mh", {1.92, 8.69, 23.25, 110.34}},
                                              {"randsch", "", {2.89, 24.12, 72.32, 259.00}}}}};
  return all;
}

Planned planned(const Application& application, int size, Time point) {
  const TaskGraph graph = application.graph(size, point);
  const logp::Machine machine = logp::parse_machine(paragon);
  Planned result;
  for (const Row& row : application.rows)
    if (!row.scheduler.empty())
      result.length.push_back(measure(find_scheduler(row.scheduler).schedule(graph, machine, {})).makespan);
  constexpr int draws = 10;
  const DelayModel model(graph, machine);
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    Random draw(seed);
    std::vector<ProcessorId> home;
    std::vector<ProcessorId> processor_of;
    for (TaskId task : graph.tasks()) {
      const std::size_t partition = application.partition(size, task.index());
      while (home.size() <= partition) home.emplace_back(draw.below(machine.processor_count()));
      processor_of.push_back(home[partition]);
    }
    result.random += place_assigned(model, processor_of).length() / draws;
  }
  return result;
}

double kendall_tau(const std::vector<double>& a, const std::vector<double>& b) {
  double agree = 0, pairs_a = 0, pairs_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = i + 1; j < a.size(); ++j) {
      const double x = sign(a[i] - a[j]), y = sign(b[i] - b[j]);
      agree += x * y;
      pairs_a += x * x;
      pairs_b += y * y;
    }
  return pairs_a > 0 && pairs_b > 0 ? agree / std::sqrt(pairs_a * pairs_b) : 0;
}

}  // namespace takt::schedulers::casch
