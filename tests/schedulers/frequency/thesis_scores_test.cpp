/// Do the scores over random computation times agree with the printed ones of the thesis, within the accuracy
/// of its ten instances per cell?

#include "tests/schedulers/frequency/thesis_scores.hpp"

#include <array>
#include <cmath>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/graphs/generators.hpp"
#include "schedulers/judge/comparison_report.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers::thesis {
namespace frequency_thesis_scores_test {

using ::testing::ContainerEq;

/// A printed score is a mean of ten instances: it lies within 3.5 standard deviations of such a mean, except
/// in these cells. That of table 6.8 is probably a typo: BasicFO cannot fill three processors evenly with six
/// independent tasks in each of ten instances.
TEST(ThesisScores, of_free_and_constant_messages_are_within_the_noise_of_ten_instances) {
  constexpr int instances = 300;
  constexpr std::array names{"Brent", "GreedyMethod", "BasicFO"};
  std::set<std::string> outside;
  for (const ScoreTable& table : score_tables())
    for (const auto& [parameter, printed] : table.printed) {
      const Scores ours = scores(table, parameter, Reading::needed_data, instances);
      for (std::size_t s = 0; s < methods; ++s) {
        // Of the ten, and of takt's.
        const double noise = ours.deviation[s] * std::sqrt(1.0 / 10 + 1.0 / instances);
        if (std::abs(printed[s] - ours.mean[s]) > 3.5 * noise + 5e-4)
          outside.insert(
              fmt::format("{} {} {}", table.title.substr(0, table.title.find(',')), parameter, names[s]));
      }
    }
  EXPECT_THAT(outside,
              ContainerEq(std::set<std::string>{"6.5 depth=4 BasicFO", "6.8 depth=0 BasicFO",
                                                "6.10 depth=1 GreedyMethod", "6.15 depth=4 GreedyMethod"}));
}

/// Of the ten instances of a cell, computed here from single schedules.
TEST(ThesisScores, are_a_column_of_comparisons) {
  const ScoreTable& table = score_tables().front();
  const std::string_view parameter = table.printed[1].first;
  ComparisonInput input;
  input.machines.emplace_back("machine", logp::parse_machine(table.machine));
  for (int seed = 1; seed <= 10; ++seed)
    input.graphs.emplace_back(fmt::format("{}", seed),
                              generate(fmt::format("{},{},seed={}", table.graph, parameter, seed)));
  for (const char* name : {"brent", "greedy", "basic_fo"}) input.schedulers.push_back(&find_scheduler(name));
  const ComparisonSummary summary = summarise(compare(input, 1));
  const Row expected = scores(table, parameter, Reading::needed_data, 10).mean;
  for (std::size_t s = 0; s < methods; ++s)
    EXPECT_NEAR(summary.schedulers[s].score, expected[s], 1e-9) << summary.schedulers[s].scheduler;
  EXPECT_THAT(summary_to_csv(summary), ::testing::HasSubstr(",score,"));
}

/// The claims of docs/reproduction/frequency-tables.md about the two interpretations of LogPLinear.
TEST(ThesisScores, of_linear_messages_have_the_printed_order_with_one_greedy_message_per_edge) {
  constexpr int instances = 200;
  const Agreement needed = agreement(linear_score_tables(), Reading::needed_data, instances);
  const Agreement edges = agreement(linear_score_tables(), Reading::fixed_size_and_edges, instances);
  EXPECT_EQ(needed.rows, 17);
  EXPECT_LE(needed.in_order, 8);
  EXPECT_LT(needed.root_mean_square, 0.85);
  EXPECT_EQ(edges.in_order, 17);
  EXPECT_LT(edges.root_mean_square, 0.85);
}

/// BasicFO's lead grows with the depth as printed, except on FFT.
TEST(ThesisScores, of_linear_messages_have_a_larger_basic_fo_lead_on_deep_graphs_except_fft) {
  constexpr int instances = 200;
  for (const ScoreTable& table : linear_score_tables())
    for (const Reading reading : {Reading::needed_data, Reading::fixed_size_and_edges}) {
      const auto lead = [&](const auto& row) {
        return lead_of_basic_fo(scores(table, row.first, reading, instances).mean);
      };
      const auto &flat = table.printed.front(), &deep = table.printed.back();
      EXPECT_LT(lead_of_basic_fo(flat.second), lead_of_basic_fo(deep.second)) << table.title;
      EXPECT_EQ(lead(flat) < lead(deep), !table.title.starts_with("6.19")) << table.title;
    }
}

}  // namespace frequency_thesis_scores_test
}  // namespace takt::schedulers::thesis
