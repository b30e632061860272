#pragma once
/// CASCH's tables 2 and 3: execution times of two applications by fifteen algorithms, and takt's plans.
///
/// Source: I. Ahmad, Y.-K. Kwok, M.-Y. Wu, W. Shu, "CASCH: a tool for computer-aided scheduling", IEEE
/// Concurrency 8(4), 2000.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/units.hpp"

namespace takt::schedulers::casch {

inline constexpr std::size_t sizes = 4;

/// One algorithm's row: its name in CASCH and in takt, and the printed seconds for four sizes on the Intel
/// Paragon and the IBM SP-2.
struct Row {
  std::string_view name;
  std::string_view scheduler;
  std::array<double, sizes> paragon;
  std::array<double, sizes> sp2;
};

/// One of the two machines: its messages (table 1, as in configs/machines) between processors for which table
/// 5 fits, its clock relative to the Paragon's, and its column of the tables.
struct Target {
  std::string_view name;
  std::string_view machine;
  double clock;
  std::array<double, sizes> Row::*printed;
};
inline constexpr std::array<Target, 2> targets{{
    {"Paragon", "loglinear:P=64,L=150000+400", 1, &Row::paragon},
    {"SP-2", "loglinear:P=64,L=42000+140", 0.00625 / 0.02, &Row::sp2},
}};

struct Application {
  std::string_view title;
  /// The meaning of the sizes, and the graph of each, with the tasks' partitions of the data.
  std::string_view unit;
  std::array<int, sizes> size;
  TaskGraph (*graph)(int size, Time point);
  std::size_t (*partition)(int size, std::size_t task);
  std::vector<Row> rows;
};

[[nodiscard]] const std::vector<Application>& applications();

/// Time of an operation on a point on the Paragon: CASCH's cost files are not printed.
inline constexpr std::array<Time, 3> grains{Time{1'000}, Time{10'000}, Time{100'000}};

/// The schedule lengths that takt's algorithms plan, row by row, then `randsch`: each partition of the data
/// on a processor drawn by the seed, mean of ten.
struct Planned {
  std::vector<Time> length;
  Time random{0};
};
[[nodiscard]] Planned planned(const Application& application, const Target& target, int size, Time point);

}  // namespace takt::schedulers::casch
