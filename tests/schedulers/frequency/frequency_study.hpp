#pragma once
/// Distance of the schedulers from the highest frequency: the thesis' grid of graphs and machines, with
/// random computation times.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/judge/evaluation.hpp"

namespace takt::schedulers::frequency_study {

/// Half an hour for everything on one core; the tables show the accuracy of the means.
inline constexpr std::size_t instances_of_cell = 25;
/// A fifteenth of the default of optfo.
inline constexpr std::uint64_t effort = 50'000;
/// exact_fo runs on graphs of at most this many tasks, with this effort.
inline constexpr std::size_t most_exact_tasks = 32;
inline constexpr std::uint64_t exact_effort = 2 * effort;

/// The thesis has equal data on all edges and lists unequal ones as future work.
enum class Sizes { equal, uniform, heavy_tailed };

struct Setting {
  std::string_view title, file, machine;
  Sizes sizes = Sizes::equal;
};
inline constexpr std::array equal_settings{
    Setting{"Free communication, P = 3", "free-3", "logp:P=3"},
    Setting{"LogPConst, L = 1, o = 1, g = 2, P = 3", "const-3", "logp:P=3,L=1,o=1,g=2"},
    Setting{"LogPLinear, L = o = 1 + s, g = 2 + 2 s, data of s = 10, P = 3", "linear-3",
            "loglinear:P=3,L=1+1,o=1+1,g=2+2"},
    Setting{"Free communication, P = 8", "free-8", "logp:P=8"},
};
inline constexpr std::array unequal_settings{
    Setting{"Data uniform in 1..19", "uniform-3", "loglinear:P=3,L=1+1,o=1+1,g=2+2", Sizes::uniform},
    Setting{"Heavy-tailed data (Pareto, exponent 1.5, mean 10)", "tail-3", "loglinear:P=3,L=1+1,o=1+1,g=2+2",
            Sizes::heavy_tailed},
};

struct Shape {
  std::string_view name, graph;
};
inline constexpr std::array shapes{
    Shape{"send tree 3", "send_tree:depth=3"},
    Shape{"send tree 4", "send_tree:depth=4"},
    Shape{"send tree 5", "send_tree:depth=5"},
    Shape{"send tree 6", "send_tree:depth=6"},
    Shape{"FFT 2", "fft:depth=2"},
    Shape{"FFT 3", "fft:depth=3"},
    Shape{"FFT 4", "fft:depth=4"},
    Shape{"FFT 5", "fft:depth=5"},
    Shape{"diamond 4", "diamond:depth=4"},
    Shape{"diamond 10", "diamond:depth=10"},
    Shape{"diamond 40", "diamond:depth=40"},
    Shape{"wave 6 x 3", "wave:width=6,depth=2"},
    Shape{"wave 6 x 5", "wave:width=6,depth=4"},
    Shape{"wave 6 x 10", "wave:width=6,depth=9"},
    Shape{"wave 6 x 20", "wave:width=6,depth=19"},
};

struct Column {
  std::string_view scheduler;
  bool is_drawn = false;
};
inline constexpr std::array columns{
    Column{"single"},       Column{"brent"},       Column{"greedy", true}, Column{"basic_fo", true},
    Column{"chains", true}, Column{"optfo", true}, Column{"exact_fo"},     Column{"etf"},
    Column{"dls"},          Column{"mcp", true},   Column{"heft"},
};
inline constexpr std::size_t optfo_column = 5, exact_column = 6;

/// The results of one instance.
struct Outcome {
  std::array<Figures, columns.size()> figures;
  bool is_exact_run = false;
};
using Cell = std::vector<Outcome>;

/// With the seeds from 1 on. Throws WorkError when a schedule is not valid.
[[nodiscard]] Outcome run(const Shape& shape, const Setting& setting, std::size_t seed);

/// Returns each instance's share of the bound's frequency, in ascending order.
[[nodiscard]] std::vector<double> shares(const Cell& cell, std::size_t column);
[[nodiscard]] double mean(const std::vector<double>& values);
[[nodiscard]] std::size_t task_count(const Shape& shape);

/// Returns a shape's row in the table of means, and in that of optfo and exact_fo.
[[nodiscard]] std::string mean_row(const Shape& shape, const Cell& cell);
[[nodiscard]] std::string exact_row(const Shape& shape, const Cell& cell);

}  // namespace takt::schedulers::frequency_study
