#include "pipeline/frontend/communication/owner_computes.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "pipeline/frontend/execution/experiment.hpp"
#include "tests/pipeline/frontend/programs.hpp"

namespace takt::frontend {
namespace {

std::vector<std::uint32_t> owners(Distribution distribution, std::size_t count, std::size_t ranks) {
  std::vector<std::uint32_t> found;
  for (std::size_t i = 0; i < count; ++i) found.push_back(owner_of(distribution, i, count, ranks));
  return found;
}

using Ranks = std::vector<std::uint32_t>;

TEST(OwnerOf, distributes_partitions_in_blocks_in_turn_and_in_two_blocks_in_turn) {
  EXPECT_EQ(owners(Distribution::block, 8, 2), (Ranks{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(owners(Distribution::cyclic, 8, 2), (Ranks{0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(owners(Distribution::block_cyclic, 8, 2), (Ranks{0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(owners(Distribution::block, 5, 3), (Ranks{0, 0, 1, 1, 2}));
  EXPECT_EQ(owners(Distribution::block, 2, 3), (Ranks{0, 1}));
}

TEST(OwnerComputes, runs_calls_where_the_column_that_they_write_lies) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  const ReadProgram read = read_program({.file = example("figure2.c"), .parameters = {{"PN", "8"}}});
  const Program& program = read.program;
  const Assignment assignment = owner_computes(program, Distribution::block, 4);
  const std::vector<std::uint32_t> rank_of = assignment.rank_of_call(program);
  std::size_t checked = 0;
  for (std::size_t i = 0; i < program.calls.size(); ++i) {
    const Call& call = program.calls[i];
    const std::string name = program.procedure(call).name;
    // The written argument is data[level][column], as C.
    const std::string text = name == "InterMult"   ? call.arguments[2].text
                             : name == "IntraMult" ? call.arguments[1].text
                                                   : "";
    if (text.empty()) {
      EXPECT_EQ(rank_of[i], 0U) << program.text_of(CallId(i));
      continue;
    }
    const auto column = static_cast<std::uint32_t>(std::stoul(text.substr(text.rfind('[') + 1)));
    EXPECT_EQ(rank_of[i], column / 2) << program.text_of(CallId(i));
    ++checked;
  }
  EXPECT_EQ(checked, 32U);
}

TEST(OwnerComputes, takes_the_begins_of_tiles_of_a_flat_array_as_partitions) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  const ReadProgram read = read_program({.file = example("cholesky.c")});
  const std::vector<std::uint32_t> rank_of =
      owner_computes(read.program, Distribution::cyclic, 3).rank_of_call(read.program);
  // The first 16 calls fill the tiles in their order.
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(rank_of[i], i % 3);
}

Execution execution(std::vector<Time> makespans) {
  return {.makespans = std::move(makespans)};
}

TEST(Experiment, has_mean_and_spread_of_runs_and_the_order_of_plans) {
  const Execution runs = execution({Time{10}, Time{14}, Time{12}});
  EXPECT_EQ(runs.mean(), 12);
  EXPECT_EQ(runs.deviation(), 2);
  EXPECT_EQ(runs.shortest(), Time{10});

  Experiment experiment{.runs = 1};
  const auto add = [&](Time planned, Time executed) {
    experiment.rows.push_back(
        {.plan = {.parallel = ParallelProgram{}, .planned = planned}, .execution = execution({executed})});
  };
  add(Time{100}, Time{300});
  add(Time{101}, Time{200});
  add(Time{200}, Time{400});
  // Without a program: does not count.
  experiment.rows.push_back({.plan = {.planned = Time{1}}});
  const Experiment::Order order = experiment.order();
  // Two of three pairs agree; the pair that does not differs by 1 %.
  EXPECT_NEAR(order.tau, 1 / 3.0, 1e-12);
  EXPECT_EQ(order.pairs_apart, 2U);
  EXPECT_EQ(order.tau_apart, 1);
}

}  // namespace
}  // namespace takt::frontend
