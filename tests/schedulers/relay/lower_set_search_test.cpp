/// Does the search over lower sets find the best relay chain of all?

#include "schedulers/relay/lower_set_search.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/relay/exact_chain.hpp"
#include "schedulers/search/stage_loads.hpp"
#include "tests/schedulers/frequency/oracle.hpp"
#include "tests/schedulers/registry/pair_machines.hpp"

namespace takt::schedulers {
namespace {

constexpr std::size_t no_limit = 1'000'000;

class BestChain : public ::testing::TestWithParam<std::string_view> {};

TEST_P(BestChain, equals_the_best_of_all_assignments) {
  const logp::Machine machine = logp::parse_machine(GetParam());
  Random random(7);
  for (int i = 0; i < 40; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 1 + random.below(7), 35, 20, 6);
    const Workload workload(graph, machine);
    const std::int64_t least = oracle::least_period_relay(graph, machine);
    const LowerSetAnswer yes = find_relay_chain(workload, Time(least), no_limit);
    ASSERT_EQ(yes.verdict, Verdict::yes) << "graph " << i;
    EXPECT_EQ(StageLoads(workload, yes.stages->chain, yes.stages->stage_of, Routing::relay).repetition(),
              least);
    EXPECT_EQ(find_relay_chain(workload, Time(least - 1), no_limit).verdict, Verdict::no) << "graph " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, BestChain,
                         ::testing::Values("logp:P=3,L=0,o=0,g=0", "logp:P=3,L=1,o=1,g=2",
                                           "logp:P=3,L=9,o=6,g=15", "loglinear:P=3,L=1+1,o=1+1,g=2+2",
                                           "loglinear:P=3,L=0,o=0+2,g=0+1,speed=1/2/0.5",
                                           "logp:P=3,L=0,o=0,g=0,speed=3/1/1"));

void expect_best_chain(const TaskGraph& graph, const logp::Machine& machine) {
  const Workload workload(graph, machine);
  const std::int64_t least = oracle::least_period_relay(graph, machine);
  const LowerSetAnswer yes = find_relay_chain(workload, Time(least), no_limit);
  ASSERT_EQ(yes.verdict, Verdict::yes);
  EXPECT_EQ(StageLoads(workload, yes.stages->chain, yes.stages->stage_of, Routing::relay).repetition(),
            least);
  EXPECT_EQ(find_relay_chain(workload, Time(least - 1), no_limit).verdict, Verdict::no);
}

TEST(LowerSetSearch, tries_every_order_of_processors_with_links_by_level) {
  Random random(8);
  for (int i = 0; i < 60; ++i) {
    const logp::Machine machine = oracle::random_levels(random, 2 + random.below(4));
    SCOPED_TRACE(i);
    expect_best_chain(oracle::random_graph(random, 1 + random.below(5), 35, 20, 4), machine);
  }
}

TEST(LowerSetSearch, tries_every_order_of_processors_with_links_by_pair) {
  Random random(9);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    expect_best_chain(oracle::random_graph(random, 1 + random.below(6), 35, 20, 4),
                      random_pairs(2 + random.below(3), seed));
  }
}

/// Tasks of 4, 3, 3 and 2 in a row, which take 2, 2, 2 and 1 at speed 2.
TaskGraph four_in_a_row() {
  TaskGraphBuilder builder;
  TaskId last = builder.add_task({.name = "0", .work = Time(4)});
  for (std::int64_t work : {3, 3, 2}) {
    const TaskId next = builder.add_task({.name = fmt::format("{}", last.index() + 1), .work = Time(work)});
    builder.add_edge(builder.add_datum(last, Bytes{1}), next);
    last = next;
  }
  return std::move(builder).build();
}

TEST(LowerSetSearch, counts_many_processors_of_a_few_kinds) {
  const TaskGraph graph = four_in_a_row();
  for (std::size_t processors : {2, 3, 64, 65, 66, 127, 130, 255}) {
    Platform platform = Platform::uniform(processors);
    platform.speeds.back() = 2;
    const logp::Machine machine(platform, logp::LinkCosts{});
    const Workload workload(graph, machine);
    // 4 | 3 | 3 and 2 at speed 2, or 4 at speed 2 | 3 | 3 | 2. On two processors the fast one has 4, 3 or 3,
    // 3, 2.
    auto verdict = [&](std::int64_t period) {
      return find_relay_chain(workload, Time(period), no_limit).verdict;
    };
    EXPECT_EQ(verdict(5), Verdict::yes) << processors;
    EXPECT_EQ(verdict(4), processors >= 3 ? Verdict::yes : Verdict::no) << processors;
    EXPECT_EQ(verdict(3), processors >= 4 ? Verdict::yes : Verdict::no) << processors;
    EXPECT_EQ(verdict(2), Verdict::no) << processors;
  }
}

TEST(LowerSetSearch, proves_nothing_for_processors_of_too_many_kinds) {
  const TaskGraph graph = four_in_a_row();
  for (std::size_t processors : {8, 64, 65, 66, 70, 130}) {
    Platform platform = Platform::uniform(processors);
    for (std::size_t p = 0; p < processors; ++p) platform.speeds[p] = 1 + static_cast<double>(p) / 1000;
    const logp::Machine machine(platform, logp::LinkCosts{});
    const Workload workload(graph, machine);
    // The largest task takes 4 on any processor, and there is one for each task.
    const Verdict yes = find_relay_chain(workload, Time(4), no_limit).verdict;
    const Verdict no = find_relay_chain(workload, Time(3), no_limit).verdict;
    EXPECT_EQ(yes, processors < 64 ? Verdict::yes : Verdict::unknown) << processors;
    EXPECT_EQ(no, processors < 64 ? Verdict::no : Verdict::unknown) << processors;
  }
}

TEST(LowerSetSearch, finds_chains_over_many_nodes) {
  const TaskGraph graph = generate("fft:depth=2,cost=1..9,seed=3");
  for (std::size_t processors : {9, 64, 65, 66, 130}) {
    Platform platform = Platform::uniform(processors);
    platform.cluster_of_node.assign(processors, 0);
    for (std::size_t p = 0; p < processors; ++p) platform.node_of[p] = static_cast<std::uint32_t>(p / 2);
    const logp::LinkCosts near{{1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}},
        far{{3, 0}, {2, 0}, {2, 0}, {2, 0}, {2, 0}};
    const logp::Machine machine(platform, {logp::LinkCosts{}, near, far, far});
    const Workload workload(graph, machine);
    std::uint64_t budget = no_limit;
    const Stages all_on_one{{ProcessorId(0)}, std::vector<std::uint32_t>(graph.task_count(), 0)};
    const ExactChain best = find_best_chain(workload, Time(1), all_on_one, no_limit, budget);
    // More processors than tasks do not help, but all of them are tried, if a code can count them.
    EXPECT_LE(best.period, graph.total_work()) << processors;
    EXPECT_LE(best.bound, best.period) << processors;
  }
}

TEST(LowerSetSearch, gives_up_at_its_limit_without_a_claim) {
  const TaskGraph graph = generate("wave:depth=3,width=5,cost=1..100,seed=1");
  const logp::Machine machine = logp::parse_machine("logp:P=3,L=0,o=0,g=0");
  const LowerSetAnswer answer = find_relay_chain(
      Workload(graph, machine), PeriodBounds(graph, machine, 1).best().period.time_of(1), 10);
  EXPECT_EQ(answer.verdict, Verdict::unknown);
  EXPECT_FALSE(answer.stages);
  EXPECT_LE(answer.lower_sets, 10U);
}

TEST(ExactChain, reports_bounds_of_the_best_chain_when_its_budget_is_spent) {
  const TaskGraph graph = generate("fft:depth=3,cost=1..100,seed=1");
  const logp::Machine machine = logp::parse_machine("logp:P=3,L=0,o=0,g=0");
  const Workload workload(graph, machine);
  const Stages all_on_one{{ProcessorId(0)}, std::vector<std::uint32_t>(graph.task_count(), 0)};
  std::uint64_t budget = 100;
  const ExactChain stopped = find_best_chain(
      workload, PeriodBounds(graph, machine, 1).best().period.time_of(1), all_on_one, no_limit, budget);
  EXPECT_FALSE(stopped.is_proven());
  EXPECT_EQ(stopped.period, graph.total_work());
  EXPECT_EQ(stopped.bound, PeriodBounds(graph, machine, 1).best().period.time_of(1));

  budget = no_limit;
  const ExactChain finished = find_best_chain(
      workload, PeriodBounds(graph, machine, 1).best().period.time_of(1), all_on_one, no_limit, budget);
  EXPECT_TRUE(finished.is_proven());
  EXPECT_LT(finished.period, stopped.period);
  EXPECT_LT(budget, no_limit);
}

}  // namespace
}  // namespace takt::schedulers
