/// Does takt reproduce the tables of the thesis on frequency-oriented scheduling for LOIS? Prints the
/// document docs/reproduction/frequency-tables.md, the printed numbers beside ours.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/generators.hpp"
#include "schedulers/registry/registry.hpp"

namespace {

using takt::ScheduleMetrics;

constexpr std::array schedulers{"brent", "greedy", "basic_fo"};
using Row = std::array<double, schedulers.size()>;

ScheduleMetrics run(std::string_view scheduler, const takt::TaskGraph& graph,
                    const takt::logp::Machine& machine) {
  return takt::measure(takt::schedulers::find_scheduler(scheduler).schedule(graph, machine, {}));
}

/// Tables 6.1 to 6.4: frequencies for unit tasks without communication.
struct FrequencyTable {
  std::string_view title;
  std::string_view graph;
  int processors;
  std::array<Row, 10> printed;
};

const std::array frequency_tables{
    FrequencyTable{"6.1, send tree, P = 3",
                   "send_tree:cost=1",
                   3,
                   {Row{1, 1, 1}, Row{0.5, 0.5, 1}, Row{0.25, 0.3333, 0.3333}, Row{0.1428, 0.1666, 0.2},
                    Row{0.0769, 0.0833, 0.0909}, Row{0.0416, 0.0434, 0.0476}, Row{0.0217, 0.0222, 0.0232},
                    Row{0.0112, 0.0113, 0.0117}, Row{0.0057, 0.0057, 0.0058}, Row{0.0028, 0.0028, 0.0029}}},
    FrequencyTable{
        "6.2, FFT, P = 3",
        "fft:cost=1",
        3,
        {Row{1, 1, 1}, Row{0.5, 0.5, 0.5}, Row{0.1666, 0.1666, 0.25}, Row{0.0833, 0.0833, 0.0909},
         Row{0.0333, 0.0333, 0.0370}, Row{0.0151, 0.0151, 0.0156}, Row{0.0064, 0.0064, 0.0066},
         Row{0.0029, 0.0029, 0.0029}, Row{0.0012, 0.0012, 0.0013}, Row{5.8479e-4, 5.8479e-4, 5.8582e-4}}},
    FrequencyTable{
        "6.3, diamond, P = 2 (the caption's P = 3 is a slip: with P = 3 BasicFO's period would be depth + 1)",
        "diamond:cost=1",
        2,
        {Row{1, 1, 1}, Row{0.3333, 0.3333, 0.5}, Row{0.2, 0.2, 0.25}, Row{0.1428, 0.1428, 0.2},
         Row{0.1111, 0.1111, 0.1428}, Row{0.0909, 0.0909, 0.125}, Row{0.0769, 0.0769, 0.1},
         Row{0.0666, 0.0666, 0.0909}, Row{0.0588, 0.0588, 0.0769}, Row{0.0526, 0.0526, 0.0714}}},
    FrequencyTable{"6.4, wave of width 3, P = 3",
                   "wave:width=3,cost=1",
                   3,
                   {Row{1, 1, 1}, Row{0.5, 0.5, 0.5}, Row{0.3333, 0.3333, 0.3333}, Row{0.25, 0.25, 0.25},
                    Row{0.2, 0.2, 0.2}, Row{0.1666, 0.1666, 0.1666}, Row{0.1428, 0.1428, 0.1428},
                    Row{0.125, 0.125, 0.125}, Row{0.1111, 0.1111, 0.1111}, Row{0.1, 0.1, 0.1}}},
};

void print_frequencies(const FrequencyTable& table) {
  fmt::print("\n### Table {}\n\n", table.title);
  fmt::print("| depth | Brent printed | takt | GreedyMethod printed | takt | BasicFO printed | takt |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  const auto machine = takt::logp::parse_machine(fmt::format("logp:P={}", table.processors));
  for (std::size_t depth = 0; depth < table.printed.size(); ++depth) {
    const takt::TaskGraph graph = takt::generate(fmt::format("{},depth={}", table.graph, depth));
    fmt::print("| {} |", depth);
    for (std::size_t s = 0; s < schedulers.size(); ++s)
      fmt::print(" {} | 1/{} |", table.printed[depth][s],
                 run(schedulers[s], graph, machine).repetition.count());
    fmt::print("\n");
  }
}

/// Tables 6.5 to 6.21: scores over random computation times, `10/n * sum of frequency / best frequency of the
/// three`.
struct ScoreTable {
  std::string_view title;
  std::string_view graph;
  std::string_view machine;
  std::vector<std::pair<std::string_view, Row>> printed;
};

constexpr std::string_view free_machine = "logp:P=3", constant = "logp:P=3,L=1,o=1,g=2",
                           linear = "loglinear:P=3,L=1+1,o=1+1,g=2+2";

const std::vector<ScoreTable> score_tables{
    {"6.5, send tree, w = 1..100",
     "send_tree:cost=1..100",
     free_machine,
     {{"depth=1", {6.8376, 8.7191, 10}},
      {"depth=2", {6.2984, 8.1742, 9.9824}},
      {"depth=3", {6.7985, 8.7190, 9.9636}},
      {"depth=4", {7.8015, 9.1460, 9.9518}}}},
    {"6.6, FFT, w = 1..100",
     "fft:cost=1..100",
     free_machine,
     {{"depth=1", {7.0898, 7.0898, 10}},
      {"depth=2", {7.0953, 9.2482, 9.9148}},
      {"depth=3", {7.5534, 9.8434, 9.9373}},
      {"depth=4", {8.0839, 9.9718, 9.9441}},
      {"depth=5", {8.5525, 9.9950, 9.9799}}}},
    {"6.7, diamond, w = 1..100",
     "diamond:cost=1..100",
     free_machine,
     {{"depth=1", {5.7946, 5.7946, 10}},
      {"depth=2", {4.8243, 4.8243, 10}},
      {"depth=3", {5.0008, 5.0008, 10}},
      {"depth=4", {4.7244, 4.7244, 10}}}},
    {"6.8, wave of width 6, w = 1..100",
     "wave:width=6,cost=1..100",
     free_machine,
     {{"depth=0", {7.9215, 10, 10}},
      {"depth=1", {7.3986, 9.7821, 9.5844}},
      {"depth=2", {8.1792, 9.8348, 9.9525}},
      {"depth=3", {7.6183, 9.4466, 9.9477}},
      {"depth=4", {7.4143, 9.4099, 10}}}},
    {"6.9, wave of depth 3, w = 1..100",
     "wave:depth=3,cost=1..100",
     free_machine,
     {{"width=6", {7.6183, 9.4466, 9.9477}},
      {"width=7", {7.0125, 9.7198, 9.9964}},
      {"width=8", {7.8221, 9.8341, 9.8842}},
      {"width=9", {8.1856, 9.8797, 9.9241}},
      {"width=10", {8.1346, 9.8204, 9.8947}},
      {"width=11", {7.9101, 9.9516, 9.8911}}}},
    {"6.10, send tree, w = 1..1000",
     "send_tree:cost=1..1000",
     free_machine,
     {{"depth=1", {6.2865, 6.7141, 10}},
      {"depth=2", {7.2518, 8.8329, 9.8678}},
      {"depth=3", {7.1490, 8.5486, 9.9664}},
      {"depth=4", {7.7390, 8.8888, 10}}}},
    {"6.11, FFT, w = 1..1000",
     "fft:cost=1..1000",
     free_machine,
     {{"depth=1", {6.9080, 6.9080, 10}},
      {"depth=2", {7.1312, 8.6438, 10}},
      {"depth=3", {7.4357, 9.8815, 9.8954}},
      {"depth=4", {8.1692, 9.9975, 9.8885}},
      {"depth=5", {8.8423, 9.9939, 9.9763}}}},
    {"6.12, diamond, w = 1..1000",
     "diamond:cost=1..1000",
     free_machine,
     {{"depth=1", {4.9480, 4.9480, 10}},
      {"depth=2", {4.8263, 4.8263, 10}},
      {"depth=3", {4.6277, 4.6277, 10}},
      {"depth=4", {4.4681, 4.4681, 10}}}},
    {"6.13, wave of width 6, w = 1..1000",
     "wave:width=6,cost=1..1000",
     free_machine,
     {{"depth=0", {8.6586, 10, 9.0426}},
      {"depth=1", {7.8485, 9.7399, 9.6666}},
      {"depth=2", {8.2251, 9.6805, 9.7701}},
      {"depth=3", {8.0515, 9.6030, 9.9796}},
      {"depth=4", {7.8870, 9.7176, 9.9902}}}},
    {"6.14, send tree, w = 1..100, L = 1, o = 1, g = 2",
     "send_tree:cost=1..100",
     constant,
     {{"depth=1", {7.5238, 8.4183, 9.9863}},
      {"depth=2", {6.9159, 8.9770, 9.7841}},
      {"depth=3", {6.9735, 8.3448, 10}},
      {"depth=4", {7.6491, 8.8744, 10}}}},
    {"6.15, FFT, w = 1..100, L = 1, o = 1, g = 2",
     "fft:cost=1..100",
     constant,
     {{"depth=1", {6.1692, 6.3026, 10}},
      {"depth=2", {6.9614, 8.5413, 10}},
      {"depth=3", {7.6023, 9.5509, 9.9585}},
      {"depth=4", {7.9270, 9.6864, 10}}}},
    {"6.16, diamond, w = 1..100, L = 1, o = 1, g = 2",
     "diamond:cost=1..100",
     constant,
     {{"depth=1", {5.0486, 5.1549, 10}},
      {"depth=2", {4.5097, 4.6078, 10}},
      {"depth=3", {4.6345, 4.7366, 10}},
      {"depth=4", {4.4236, 4.5277, 10}}}},
    {"6.17, wave of width 6, w = 1..100, L = 1, o = 1, g = 2",
     "wave:width=6,cost=1..100",
     constant,
     {{"depth=0", {7.6558, 10, 8.7338}},
      {"depth=1", {8.2627, 9.6355, 9.8771}},
      {"depth=2", {7.9207, 9.4535, 9.9676}},
      {"depth=3", {7.7910, 9.3457, 10}},
      {"depth=4", {7.6631, 9.0584, 10}}}},
    {"6.18, send tree, w = 1..100, L = 1 + s, o = 1 + s, g = 2 + 2 s",
     "send_tree:data=10,cost=1..100",
     linear,
     {{"depth=1", {7.3300, 9.0350, 9.7321}},
      {"depth=2", {6.1099, 8.1978, 9.8292}},
      {"depth=3", {6.5239, 7.5132, 10}},
      {"depth=4", {6.6562, 7.5468, 10}}}},
    {"6.19, FFT, w = 1..100, L = 1 + s, o = 1 + s, g = 2 + 2 s",
     "fft:data=10,cost=1..100",
     linear,
     {{"depth=1", {6.9741, 8.0070, 10}},
      {"depth=2", {6.3581, 7.4630, 9.9119}},
      {"depth=3", {6.0780, 5.9608, 10}},
      {"depth=4", {5.6559, 5.1730, 10}}}},
    {"6.20, diamond, w = 1..100, L = 1 + s, o = 1 + s, g = 2 + 2 s",
     "diamond:data=10,cost=1..100",
     linear,
     {{"depth=1", {4.6801, 5.3143, 10}},
      {"depth=2", {3.3658, 3.9963, 10}},
      {"depth=3", {2.9976, 3.6143, 10}},
      {"depth=4", {2.7861, 3.3261, 10}}}},
    {"6.21, wave of width 6, w = 1..100, L = 1 + s, o = 1 + s, g = 2 + 2 s",
     "wave:width=6,data=10,cost=1..100",
     linear,
     {{"depth=0", {7.9985, 10, 8.5073}},
      {"depth=1", {9.5190, 8.3896, 9.6649}},
      {"depth=2", {8.5352, 7.5688, 10}},
      {"depth=3", {7.4191, 6.3544, 10}},
      {"depth=4", {6.4307, 5.3553, 10}}}},
};

constexpr int instances = 1000;

/// The same graph, but all edges of a task carry one datum: the thesis' tasks have one result each.
takt::TaskGraph with_one_datum_a_task(const takt::TaskGraph& graph) {
  takt::TaskGraphBuilder builder;
  for (takt::TaskId task : graph.tasks()) builder.add_task(graph.task(task));
  for (takt::TaskId task : graph.tasks()) {
    const auto edges = graph.out_edges(task);
    if (edges.empty()) continue;
    const takt::DatumId datum = builder.add_datum(task, graph.edge(edges.front()).size);
    for (takt::EdgeId edge : edges) builder.add_edge(datum, graph.edge(edge).to);
  }
  return std::move(builder).build();
}

void print_scores(const ScoreTable& table) {
  fmt::print("\n### Table {}\n\n", table.title);
  fmt::print("| | Brent printed | takt | GreedyMethod printed | takt | BasicFO printed | takt |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  const auto machine = takt::logp::parse_machine(table.machine);
  for (const auto& [parameter, printed] : table.printed) {
    Row scores{};
    for (int seed = 1; seed <= instances; ++seed) {
      const takt::TaskGraph graph =
          with_one_datum_a_task(takt::generate(fmt::format("{},{},seed={}", table.graph, parameter, seed)));
      Row frequencies;
      for (std::size_t s = 0; s < schedulers.size(); ++s)
        frequencies[s] = run(schedulers[s], graph, machine).frequency();
      const double best = std::ranges::max(frequencies);
      for (std::size_t s = 0; s < schedulers.size(); ++s) scores[s] += 10 * frequencies[s] / best / instances;
    }
    fmt::print("| {} |", parameter);
    for (std::size_t s = 0; s < schedulers.size(); ++s)
      fmt::print(" {:.2f} | {:.2f} |", printed[s], scores[s]);
    fmt::print("\n");
  }
}

/// Tables 6.22 and 6.23: one send tree under growing communication costs, as printed.
struct OccupancyTable {
  std::string_view title;
  std::string_view scheduler;
  std::array<double, 10> frequencies;
  std::array<std::array<double, 3>, 10> shares;
};

const std::array occupancy_tables{
    OccupancyTable{"6.22, BasicFO",
                   "basic_fo",
                   {0.1666, 0.1428, 0.1250, 0.1000, 0.0833, 0.0714, 0.0625, 0.0555, 0.0500, 0.0454},
                   {{{100, 100, 100},
                     {80, 66.7, 85.7},
                     {66.7, 50, 75},
                     {57.1, 40, 66.7},
                     {50, 33.3, 60},
                     {44.4, 28.6, 54.5},
                     {40, 25, 50},
                     {36.4, 22.2, 46.2},
                     {33.3, 20, 42.9},
                     {30.8, 18.2, 40}}}},
    OccupancyTable{"6.23, GreedyMethod",
                   "greedy",
                   {0.1666, 0.1250, 0.1000, 0.0769, 0.0625, 0.0526, 0.0454, 0.0400, 0.0357, 0.0322},
                   {{{100, 100, 100},
                     {75, 66.7, 57.1},
                     {60, 50, 40},
                     {50, 40, 30.8},
                     {42.9, 33.3, 25},
                     {37.5, 28.6, 21.1},
                     {33.3, 25, 18.2},
                     {30, 22.2, 16},
                     {27.3, 20, 14.3},
                     {25, 18.2, 12.9}}}},
};

void print_occupancy(const OccupancyTable& table) {
  fmt::print("\n### Table {}, send tree of depth 2, w = 2, P = 3, L = o = g = k\n\n", table.title);
  fmt::print(
      "| k | frequency printed | takt | computation % printed, P1 P2 P3 | takt |\n|---|---|---|---|---|\n");
  const takt::TaskGraph graph = takt::generate("send_tree:depth=2,cost=2");
  for (std::size_t k = 0; k < table.shares.size(); ++k) {
    const auto machine = takt::logp::parse_machine(fmt::format("logp:P=3,L={0},o={0},g={0}", k));
    const ScheduleMetrics metrics = run(table.scheduler, graph, machine);
    fmt::print("| {} | {} | 1/{} |", k, table.frequencies[k], metrics.repetition.count());
    for (double share : table.shares[k]) fmt::print(" {:.1f}", share);
    fmt::print(" |");
    for (const takt::Occupancy& occupancy : metrics.occupancy)
      fmt::print(" {:.1f}", 100.0 * static_cast<double>(occupancy.compute.count()) /
                                static_cast<double>(occupancy.occupied().count()));
    fmt::print(" |\n");
  }
}

}  // namespace

int main() {
  fmt::print(
      "# The thesis' tables, printed and reproduced\n\n"
      "Source: the thesis on frequency-oriented scheduling for LOIS, chapter 6. This document is the output "
      "of\n"
      "`bench/thesis_tables` (configure with `-DTAKT_BUILD_BENCH=ON`); one row of it by hand:\n"
      "`takt compare send_tree:depth=3,cost=1 --machine logp:P=3 --schedulers brent,greedy,basic_fo`.\n"
      "The test `tests/schedulers/frequency/thesis_tables_test.cpp` holds the tables with fixed computation "
      "times to "
      "the last\n"
      "digit.\n\n## Fixed computation times: equal to the last digit\n\n"
      "The thesis prints frequencies, cut after four digits; ours are the exact fractions.\n");
  for (const FrequencyTable& table : frequency_tables) print_frequencies(table);
  fmt::print(
      "\n## Large communication costs: equal to the last digit\n\n"
      "The print's first frequency, 1.6666, is a slip for 0.1666.\n");
  for (const OccupancyTable& table : occupancy_tables) print_occupancy(table);
  fmt::print(
      "\n## Random computation times: equal but for the thesis' noise\n\n"
      "Scores `10/n * sum of frequency / best frequency of the three`: the thesis over n = 10 random graphs\n"
      "that it does not print, takt over the seeds 1 to {}. At depth 0 the trees, the FFT and the diamond "
      "are one\n"
      "task and all score 10, but for the first row of table 6.20 (4.756, 5.1788, 10), which cannot be a "
      "single\n"
      "task. The data sizes of tables 6.18 to 6.21 are not printed; here every task has one result of 10 "
      "units\n"
      "for all its successors. That gives the trends of these four tables (BasicFO far ahead, and the more "
      "so\n"
      "the deeper the graph), not their numbers.\n",
      instances);
  for (const ScoreTable& table : score_tables) print_scores(table);
}
