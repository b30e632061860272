/// Does takt reproduce the tables of the thesis on frequency-oriented scheduling for LOIS? Prints the
/// document docs/reproduction/frequency-tables.md, the printed numbers next to ours.

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/graphs/generators.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/frequency/thesis_scores.hpp"

namespace {

using takt::ScheduleMetrics;
namespace thesis = takt::schedulers::thesis;

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
    FrequencyTable{"6.3, diamond, P = 2 (the caption's P = 3 is an error: with P = 3 BasicFO's period would "
                   "be depth + 1)",
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

/// Returns takt's frequency 1 / period, and the printed one if that is not it truncated to its digits.
std::string compared(double printed, std::int64_t period) {
  const double exact = 1 / static_cast<double>(period), digit = printed < 1e-3 ? 1e-8 : 1e-4;
  const bool agrees = printed <= exact && exact - printed < digit;
  return agrees ? fmt::format("1/{}", period) : fmt::format("1/{} (printed {})", period, printed);
}

void print_frequencies(const FrequencyTable& table) {
  fmt::print("\n### Table {}\n\n", table.title);
  fmt::print("| depth | Brent | GreedyMethod | BasicFO |\n|---|---|---|---|\n");
  const auto machine = takt::logp::parse_machine(fmt::format("logp:P={}", table.processors));
  for (std::size_t depth = 0; depth < table.printed.size(); ++depth) {
    const takt::TaskGraph graph = takt::generate(fmt::format("{},depth={}", table.graph, depth));
    fmt::print("| {} |", depth);
    for (std::size_t s = 0; s < schedulers.size(); ++s)
      fmt::print(" {} |",
                 compared(table.printed[depth][s], run(schedulers[s], graph, machine).repetition.count()));
    fmt::print("\n");
  }
}

constexpr int instances = 1000;

/// Prints the scores of the thesis next to ours, in each requested reading.
void print_scores(const thesis::ScoreTable& table, std::span<const thesis::Reading> readings) {
  fmt::print("\n### Table {}\n\n|", table.title);
  for (const char* method : {"Brent", "GreedyMethod", "BasicFO"}) {
    fmt::print(" | {} printed", method);
    for (const thesis::Reading reading : readings)
      fmt::print(" | {}", reading == thesis::Reading::needed_data ? "takt" : "fixed size, edges");
  }
  fmt::print(" |\n|---");
  for (std::size_t i = 0; i < thesis::methods * (1 + readings.size()); ++i) fmt::print("|---");
  fmt::print("|\n");
  for (const auto& [parameter, printed] : table.printed) {
    std::vector<thesis::Row> ours;
    for (const thesis::Reading reading : readings)
      ours.push_back(thesis::scores(table, parameter, reading, instances).mean);
    fmt::print("| {} |", parameter);
    for (std::size_t s = 0; s < thesis::methods; ++s) {
      fmt::print(" {:.2f} |", printed[s]);
      for (const thesis::Row& row : ours) fmt::print(" {:.2f} |", row[s]);
    }
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
  fmt::print("| k | frequency | computation %, P1 P2 P3 |\n|---|---|---|\n");
  const takt::TaskGraph graph = takt::generate("send_tree:depth=2,cost=2");
  for (std::size_t k = 0; k < table.shares.size(); ++k) {
    const auto machine = takt::logp::parse_machine(fmt::format("logp:P=3,L={0},o={0},g={0}", k));
    const ScheduleMetrics metrics = run(table.scheduler, graph, machine);
    fmt::print("| {} | {} |", k, compared(table.frequencies[k], metrics.repetition.count()));
    for (std::size_t p = 0; p < metrics.occupancy.size(); ++p) {
      const takt::Occupancy& occupancy = metrics.occupancy[p];
      const std::string ours = fmt::format("{:.1f}", 100.0 * static_cast<double>(occupancy.compute.count()) /
                                                         static_cast<double>(occupancy.occupied().count()));
      const std::string printed = fmt::format("{:.1f}", table.shares[k][p]);
      fmt::print(" {}", ours == printed ? ours : fmt::format("{} (printed {})", ours, printed));
    }
    fmt::print(" |\n");
  }
}

/// Returns BasicFO's leads in the first and the last row of table 6.19: as printed, or of a reading.
std::string leads_on_fft(std::optional<thesis::Reading> reading) {
  const thesis::ScoreTable& fft = thesis::linear_score_tables()[1];
  const auto lead = [&](const std::pair<std::string_view, thesis::Row>& row) {
    return thesis::lead_of_basic_fo(reading ? thesis::scores(fft, row.first, *reading, instances).mean
                                            : row.second);
  };
  return fmt::format("{:.1f} to {:.1f}", lead(fft.printed.front()), lead(fft.printed.back()));
}

/// Two cells: rows in the printed order, root mean square error.
std::string agreement_text(thesis::Reading reading) {
  const thesis::Agreement agreement = thesis::agreement(thesis::linear_score_tables(), reading, instances);
  return fmt::format("{} of {} | {:.2f}", agreement.in_order, agreement.rows, agreement.root_mean_square);
}

void print_linear() {
  constexpr std::array readings{thesis::Reading::needed_data, thesis::Reading::fixed_size_and_edges};
  fmt::print(
      "\n"
      "## LogPLinear: two readings\n\n"
      "The thesis prints neither the data sizes of tables 6.18 to 6.21 nor the contents of a message. Here "
      "every task has one result of 10\n"
      "units for all its successors; BasicFO relays it once per cut. The messages of Brent and "
      "GreedyMethod have two readings:\n\n"
      "| reading | messages | rows in the printed order of Brent and GreedyMethod | root mean square error "
      "| BasicFO's lead on FFT (printed: {}) |\n"
      "|---|---|---|---|---|\n"
      "| *takt* | all data that the receiver needs of a layer, each datum once | {} | {} |\n"
      "| *fixed size, edges* | Brent: size of one result, whatever the message carries; GreedyMethod: one "
      "message per edge | {} | {} |\n\n"
      "The printed finding that BasicFO leads, most on deep graphs, holds in both readings except on FFT. "
      "The finding that GreedyMethod\n"
      "falls below Brent holds in the second one only. No reading fits the numbers of FFT and wave. The "
      "schedulers use the first reading;\n"
      "the second is an option of the timing (`LayerMessageOptions`).\n\n"
      "An independent implementation (`tests/schedulers/frequency/reference/thesis_methods.py`) has the "
      "same periods in both readings and\n"
      "in tables 6.22 and 6.23. Like the thesis it does not limit the messages in the network; LogP's "
      "limit is ceil(L / g).\n",
      leads_on_fft(std::nullopt), agreement_text(readings[0]), leads_on_fft(readings[0]),
      agreement_text(readings[1]), leads_on_fft(readings[1]));
  for (const thesis::ScoreTable& table : thesis::linear_score_tables()) print_scores(table, readings);
}

}  // namespace

int main() {
  fmt::print(
      "# The thesis' tables, printed and reproduced\n\n"
      "Source: the thesis on frequency-oriented scheduling for LOIS, chapter 6. `bench/thesis_tables` "
      "prints this document (configure with\n"
      "`-DTAKT_BUILD_BENCH=ON`); one row by hand:\n"
      "`takt compare send_tree:depth=3,cost=1 --machine logp:P=3 --schedulers brent,greedy,basic_fo`.\n\n"
      "## Fixed computation times: equal to the last digit\n\n"
      "takt's exact fractions. The thesis prints them truncated to four digits; a number that is not the "
      "same "
      "to its last digit would\nbe shown next to it. `tests/schedulers/frequency/thesis_tables_test.cpp` "
      "checks every "
      "digit.\n");
  for (const FrequencyTable& table : frequency_tables) print_frequencies(table);
  fmt::print(
      "\n## Large communication costs: equal to the last digit\n\n"
      "The printed first frequency, 1.6666, is an error for 0.1666.\n");
  for (const OccupancyTable& table : occupancy_tables) print_occupancy(table);
  fmt::print(
      "\n"
      "## Random computation times: equal but for the thesis' noise\n\n"
      "Scores are `10/n * sum of frequency / best frequency of the three`: printed over n = 10 random "
      "graphs that the thesis does not\n"
      "print, takt's over the seeds 1 to {}. At depth 0 the trees, the FFT and the diamond are one task "
      "and all score 10. The first\n"
      "printed row of table 6.20 (4.756, 5.1788, 10) cannot be a single task.\n\n"
      "173 of 177 printed scores are within 3.5 standard deviations of a mean of ten instances\n"
      "(`tests/schedulers/frequency/thesis_scores_test.cpp`). The others are 6.5 depth 4 BasicFO, 6.8 "
      "depth 0 BasicFO (10.00, probably an\n"
      "error), 6.10 depth 1 GreedyMethod and 6.15 depth 4 GreedyMethod.\n",
      instances);
  constexpr std::array as_takt{thesis::Reading::needed_data};
  for (const thesis::ScoreTable& table : thesis::score_tables()) print_scores(table, as_takt);
  print_linear();
}
