#include "tests/schedulers/registry/casch_study.hpp"

#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "core/graphs/generators.hpp"
#include "core/random.hpp"
#include "core/schedule.hpp"
#include "schedulers/delay/assignment.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers::casch {

namespace {

constexpr int points_per_column = 8;
/// Complex numbers.
constexpr int bytes_a_point = 16;

int columns_of(int points) {
  return points / points_per_column;
}

/// InterMult processes a column once, IntraMult log2 times; the serial parts only pass data on.
TaskGraph fft(int points, Time point) {
  const int columns = columns_of(points), depth = std::countr_zero(static_cast<unsigned>(columns));
  std::string costs = "0";
  for (int layer = 0; layer <= depth; ++layer)
    for (int column = 0; column < columns; ++column)
      costs += fmt::format("/{}", points_per_column * point.count() * (layer < depth ? 1 : 3));
  return generate(
      fmt::format("casch_fft:depth={},data={},cost={}/0", depth, points_per_column * bytes_a_point, costs));
}
/// The column that a call writes; the serial parts count to column 0.
std::size_t column_of(int points, std::size_t task) {
  const auto columns = static_cast<std::size_t>(columns_of(points)),
             depth = static_cast<std::size_t>(std::countr_zero(columns));
  if (task == 0 || task > (depth + 1) * columns) return 0;
  const std::size_t layer = (task - 1) / columns, place = (task - 1) % columns;
  if (layer == depth) return place;
  const std::size_t stride = columns >> (layer + 1), pair = place % (2 * stride) / 2;
  return place / (2 * stride) * 2 * stride + pair + place % 2 * stride;
}

/// A grid point is a block of 8 x 8, whose borders its neighbours need.
TaskGraph laplace(int side, Time point) {
  std::string costs = "0";
  for (int i = 0; i < side * side; ++i) costs += fmt::format("/{}", 64 * point.count());
  return generate(fmt::format("laplace:size={},host=1,data={},cost={}/0", side, 8 * 8, costs));
}
/// Diagonals are numbered one after the other, from the top of each; partitions are blocks of rows.
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

}  // namespace

const std::vector<Application>& applications() {
  static const std::vector<Application> all{
      {"Table 2, FFT",
       "points",
       {512, 1024, 2048, 4096},
       fft,
       column_of,
       {{"DCP", "dcp", {0.64, 0.85, 1.27, 1.74}, {0.50, 0.66, 0.98, 1.34}},
        {"DSC", "dsc", {0.71, 1.08, 1.61, 2.38}, {0.55, 0.84, 1.25, 1.85}},
        {"EZ", "ez", {0.78, 1.47, 2.25, 3.81}, {0.60, 1.14, 1.74, 2.95}},
        {"LC", "lc", {0.81, 1.46, 2.34, 3.82}, {0.62, 1.12, 1.80, 2.92}},
        {"MD", "md", {0.73, 1.23, 2.20, 3.68}, {0.56, 0.95, 1.70, 2.84}},
        {"ETF", "etf", {0.76, 1.23, 2.09, 3.44}, {0.59, 0.94, 1.60, 2.62}},
        {"HLFET", "hlfet", {1.40, 3.00, 6.77, 13.38}, {1.09, 2.29, 5.17, 10.19}},
        {"ISH", "ish", {0.73, 1.01, 1.46, 2.30}, {0.56, 0.78, 1.13, 1.78}},
        {"LAST", "last", {0.86, 1.95, 4.29, 8.49}, {0.66, 1.48, 3.33, 6.46}},
        {"MCP", "mcp", {0.72, 1.10, 1.88, 2.69}, {0.55, 0.85, 1.45, 2.08}},
        {"DLS", "dls", {0.73, 1.27, 1.87, 3.21}, {0.56, 0.99, 1.45, 2.46}},
        {"BSA", "bsa", {0.74, 0.99, 1.47, 2.01}, {0.57, 0.75, 1.12, 1.53}},
        {"BU", "bu", {0.86, 1.71, 3.36, 6.19}, {0.66, 1.30, 2.60, 4.80}},
        {"DLS (APN)", "dls_apn", {0.79, 1.21, 1.94, 3.26}, {0.61, 0.94, 1.49, 2.53}},
        {"MH", "mh", {0.72, 1.13, 1.83, 2.60}, {0.56, 0.88, 1.40, 1.98}},
        {"randsch", "", {2.65, 7.14, 22.11, 62.58}, {2.06, 5.50, 17.05, 48.50}}}},
      {"Table 3, Laplace equation",
       "rows",
       {8, 16, 32, 64},
       laplace,
       row_of,
       {{"DCP", "dcp", {1.06, 6.08, 16.02, 75.01}, {0.81, 4.68, 12.45, 57.59}},
        {"DSC", "dsc", {1.34, 6.30, 16.42, 88.12}, {1.02, 4.79, 12.77, 67.80}},
        {"EZ", "ez", {1.44, 6.95, 18.28, 94.03}, {1.12, 5.31, 14.17, 73.34}},
        {"LC", "lc", {1.25, 6.95, 18.81, 100.52}, {0.97, 5.38, 14.57, 76.89}},
        {"MD", "md", {1.25, 6.52, 17.08, 83.09}, {0.97, 5.01, 13.31, 63.98}},
        {"ETF", "etf", {1.25, 6.73, 17.75, 80.31}, {0.97, 5.14, 13.56, 61.64}},
        {"HLFET", "hlfet", {1.34, 7.60, 32.71, 195.99}, {1.03, 5.88, 25.01, 149.61}},
        {"ISH", "ish", {1.34, 7.39, 17.08, 70.85}, {1.03, 5.65, 13.02, 54.06}},
        {"LAST", "last", {1.54, 7.17, 19.87, 106.75}, {1.18, 5.58, 15.46, 81.51}},
        {"MCP", "mcp", {1.54, 6.52, 16.95, 80.74}, {1.18, 5.08, 13.10, 61.42}},
        {"DLS", "dls", {1.34, 6.30, 17.22, 94.25}, {1.03, 4.79, 13.28, 72.53}},
        {"BSA", "bsa", {1.25, 6.95, 18.81, 83.17}, {0.97, 5.29, 14.57, 64.81}},
        {"BU", "bu", {3.26, 7.60, 20.13, 113.95}, {2.51, 5.82, 15.36, 88.22}},
        {"DLS (APN)", "dls_apn", {1.92, 8.69, 23.25, 108.75}, {1.47, 6.78, 17.99, 83.36}},
        {"MH", "mh", {1.92, 8.69, 23.25, 110.34}, {1.48, 6.73, 17.70, 84.55}},
        {"randsch", "", {2.89, 24.12, 72.32, 259.00}, {2.24, 18.80, 56.08, 199.65}}}}};
  return all;
}

Planned planned(const Application& application, const Target& target, int size, Time point) {
  const TaskGraph graph =
      application.graph(size, Time(std::llround(static_cast<double>(point.count()) * target.clock)));
  const logp::Machine machine = logp::parse_machine(target.machine);
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

}  // namespace takt::schedulers::casch
