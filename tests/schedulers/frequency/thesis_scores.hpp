#pragma once
/// The printed scores of the thesis on frequency-oriented scheduling for LOIS (tables 6.5 to 6.21), and
/// takt's.

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers::thesis {

/// Brent, GreedyMethod, BasicFO.
inline constexpr std::size_t methods = 3;
using Row = std::array<double, methods>;

/// Scores over random computation times, `10/n * sum of frequency / best frequency of the three` for n = 10
/// instances.
struct ScoreTable {
  std::string_view title;
  std::string_view graph;
  std::string_view machine;
  std::vector<std::pair<std::string_view, Row>> printed;
};

/// Returns tables 6.5 to 6.17 (free and constant messages) and 6.18 to 6.21 (LogPLinear), as printed.
[[nodiscard]] const std::vector<ScoreTable>& score_tables();
[[nodiscard]] const std::vector<ScoreTable>& linear_score_tables();

/// The contents of a message, which the thesis does not define; they matter only with LogPLinear. Every task
/// has one result for all its successors.
enum class Reading {
  /// takt's interpretation: all data of a layer that the receiver needs, once.
  needed_data,
  /// Brent's messages have the fixed size of one result, whatever they carry, and GreedyMethod sends one
  /// message per edge.
  fixed_size_and_edges,
};

/// Means and standard deviations of the single instances' scores.
struct Scores {
  Row mean{};
  Row deviation{};
};

/// Returns the scores of this many instances, with the seeds 1, 2, ....
[[nodiscard]] Scores scores(const ScoreTable& table, std::string_view parameter, Reading reading,
                            int instances);

/// Returns the lead of BasicFO over the better one of the other two.
[[nodiscard]] double lead_of_basic_fo(const Row& scores);

/// Agreement of an interpretation with the print over some tables: the number of rows with Brent and
/// GreedyMethod in the printed order, and the root mean square difference of all scores.
struct Agreement {
  int rows = 0;
  int in_order = 0;
  double root_mean_square = 0;
};
[[nodiscard]] Agreement agreement(const std::vector<ScoreTable>& tables, Reading reading, int instances);

}  // namespace takt::schedulers::thesis
