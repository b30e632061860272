/// Do the baselines have the periods printed in the thesis on frequency-oriented scheduling for LOIS?
///
/// The expected numbers are the reciprocals of the printed frequencies of tables 6.1 to 6.4 and the
/// occupancies behind the percentages of tables 6.22 and 6.23. Two typos are corrected: the caption of 6.3
/// has P = 3, but its BasicFO column is that of P = 2; the first row of 6.22 and 6.23 has 1.6666 instead of
/// 0.1666.

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/graphs/generators.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

ScheduleMetrics metrics_of(std::string_view scheduler, std::string_view graph_text,
                           std::string_view machine_text) {
  const TaskGraph graph = generate(graph_text);
  const logp::Machine machine = logp::parse_machine(machine_text);
  const Schedule schedule = find_scheduler(scheduler).schedule(graph, machine, {});
  for (const logp::Finding& finding : logp::diagnose(graph, machine, schedule))
    ADD_FAILURE() << scheduler << " on " << graph_text << ": " << finding.rule << ": " << finding.message;
  return measure(schedule);
}

/// Periods at depth 0, 1, 2, ... 9.
std::vector<int> periods_by_depth(std::string_view scheduler, std::string_view shape,
                                  std::string_view machine) {
  std::vector<int> periods;
  for (int depth = 0; depth < 10; ++depth) {
    const std::string graph = fmt::format("{}{}depth={},cost=1", shape,
                                          shape.find(':') == std::string_view::npos ? ":" : ",", depth);
    periods.push_back(static_cast<int>(metrics_of(scheduler, graph, machine).repetition.count()));
  }
  return periods;
}

constexpr std::string_view free_3 = "logp:P=3,L=0,o=0,g=0";

TEST(ThesisTable_6_1, send_tree) {
  EXPECT_THAT(periods_by_depth("brent", "send_tree", free_3),
              ElementsAre(1, 2, 4, 7, 13, 24, 46, 89, 175, 346));
  EXPECT_THAT(periods_by_depth("greedy", "send_tree", free_3),
              ElementsAre(1, 2, 3, 6, 12, 23, 45, 88, 174, 345));
  EXPECT_THAT(periods_by_depth("basic_fo", "send_tree", free_3),
              ElementsAre(1, 1, 3, 5, 11, 21, 43, 85, 171, 341));
}

TEST(ThesisTable_6_2, fft) {
  const auto levelled = {1, 2, 6, 12, 30, 66, 154, 344, 774, 1710};
  EXPECT_THAT(periods_by_depth("brent", "fft", free_3), ElementsAreArray(levelled));
  EXPECT_THAT(periods_by_depth("greedy", "fft", free_3), ElementsAreArray(levelled));
  EXPECT_THAT(periods_by_depth("basic_fo", "fft", free_3),
              ElementsAre(1, 2, 4, 11, 27, 64, 150, 342, 768, 1707));
}

TEST(ThesisTable_6_3, diamond_whose_caption_means_two_processors) {
  const std::string_view free_2 = "logp:P=2,L=0,o=0,g=0";
  const auto levelled = {1, 3, 5, 7, 9, 11, 13, 15, 17, 19};
  EXPECT_THAT(periods_by_depth("brent", "diamond", free_2), ElementsAreArray(levelled));
  EXPECT_THAT(periods_by_depth("greedy", "diamond", free_2), ElementsAreArray(levelled));
  EXPECT_THAT(periods_by_depth("basic_fo", "diamond", free_2), ElementsAre(1, 2, 4, 5, 7, 8, 10, 11, 13, 14));
  EXPECT_THAT(periods_by_depth("basic_fo", "diamond", free_3), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
}

TEST(ThesisTable_6_4, wave_of_width_3) {
  for (std::string_view scheduler : {"brent", "greedy", "basic_fo"})
    EXPECT_THAT(periods_by_depth(scheduler, "wave:width=3", free_3),
                ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10))
        << scheduler;
}

/// Periods of the send tree of depth 2 with w = 2 under L = o = g = k for k = 0..9, and the share of
/// computation of each processor in tenths of a percent.
struct Row {
  int period;
  std::vector<int> shares;
};

void expect_rows(std::string_view scheduler, const std::vector<Row>& expected) {
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const ScheduleMetrics metrics =
        metrics_of(scheduler, "send_tree:depth=2,cost=2", fmt::format("logp:P=3,L={0},o={0},g={0}", k));
    EXPECT_EQ(metrics.repetition.count(), expected[k].period) << scheduler << " at k = " << k;
    for (std::size_t p = 0; p < 3; ++p) {
      const Occupancy& occupancy = metrics.occupancy[p];
      const double share = 1000.0 * static_cast<double>(occupancy.compute.count()) /
                           static_cast<double>(occupancy.occupied().count());
      EXPECT_EQ(static_cast<int>(share + 0.5), expected[k].shares[p])
          << scheduler << " at k = " << k << " on processor " << p + 1;
    }
  }
}

TEST(ThesisTable_6_22, large_communication_cost_under_basic_fo) {
  expect_rows("basic_fo", {{6, {1000, 1000, 1000}},
                           {7, {800, 667, 857}},
                           {8, {667, 500, 750}},
                           {10, {571, 400, 667}},
                           {12, {500, 333, 600}},
                           {14, {444, 286, 545}},
                           {16, {400, 250, 500}},
                           {18, {364, 222, 462}},
                           {20, {333, 200, 429}},
                           {22, {308, 182, 400}}});
}

TEST(ThesisTable_6_23, large_communication_cost_under_greedy) {
  expect_rows("greedy", {{6, {1000, 1000, 1000}},
                         {8, {750, 667, 571}},
                         {10, {600, 500, 400}},
                         {13, {500, 400, 308}},
                         {16, {429, 333, 250}},
                         {19, {375, 286, 211}},
                         {22, {333, 250, 182}},
                         {25, {300, 222, 160}},
                         {28, {273, 200, 143}},
                         {31, {250, 182, 129}}});
}

}  // namespace
}  // namespace takt::schedulers
