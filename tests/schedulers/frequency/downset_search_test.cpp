/// Does the search over downsets find the best relay chain of all?

#include "schedulers/frequency/downset_search.hpp"

#include <gtest/gtest.h>

#include "core/generators.hpp"
#include "schedulers/frequency/exact_chain.hpp"
#include "schedulers/frequency/stage_loads.hpp"
#include "tests/schedulers/frequency/oracle.hpp"

namespace takt::schedulers {
namespace {

constexpr std::size_t no_limit = 1'000'000;

class BestChain : public ::testing::TestWithParam<std::string_view> {};

TEST_P(BestChain, is_the_one_that_trying_all_assignments_finds) {
  const logp::Machine machine = logp::parse_machine(GetParam());
  Random random(7);
  for (int i = 0; i < 40; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 1 + random.below(7), 35, 20, 6);
    const Workload workload(graph, machine);
    const std::int64_t least = oracle::least_period_relay(graph, machine);
    const DownsetAnswer yes = find_relay_chain(workload, Time(least), no_limit);
    ASSERT_EQ(yes.verdict, Verdict::yes) << "graph " << i;
    EXPECT_EQ(StageLoads(workload, yes.stages->chain, yes.stages->stage_of, Routing::relay).period(), least);
    EXPECT_EQ(find_relay_chain(workload, Time(least - 1), no_limit).verdict, Verdict::no) << "graph " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, BestChain,
                         ::testing::Values("logp:P=3,L=0,o=0,g=0", "logp:P=3,L=1,o=1,g=2",
                                           "logp:P=3,L=9,o=6,g=15", "loglinear:P=3,L=1+1,o=1+1,g=2+2",
                                           "loglinear:P=3,L=0,o=0+2,g=0+1,speed=1/2/0.5",
                                           "logp:P=3,L=0,o=0,g=0,speed=3/1/1"));

TEST(DownsetSearch, gives_up_at_its_limit_and_does_not_claim_anything) {
  const TaskGraph graph = generate("wave:depth=3,width=5,cost=1..100,seed=1");
  const logp::Machine machine = logp::parse_machine("logp:P=3,L=0,o=0,g=0");
  const DownsetAnswer answer = find_relay_chain(Workload(graph, machine), machine.period_bound(graph), 10);
  EXPECT_EQ(answer.verdict, Verdict::unknown);
  EXPECT_FALSE(answer.stages);
  EXPECT_LE(answer.downsets, 10U);
}

TEST(ExactChain, says_between_which_periods_the_best_chain_lies_when_its_budget_ends) {
  const TaskGraph graph = generate("fft:depth=3,cost=1..100,seed=1");
  const logp::Machine machine = logp::parse_machine("logp:P=3,L=0,o=0,g=0");
  const Workload workload(graph, machine);
  const Stages all_on_one{{ProcessorId(0)}, std::vector<std::uint32_t>(graph.task_count(), 0)};
  std::uint64_t budget = 100;
  const ExactChain stopped =
      find_best_chain(workload, machine.period_bound(graph), all_on_one, no_limit, budget);
  EXPECT_FALSE(stopped.is_proven());
  EXPECT_EQ(stopped.period, graph.total_work());
  EXPECT_EQ(stopped.bound, machine.period_bound(graph));

  budget = no_limit;
  const ExactChain finished =
      find_best_chain(workload, machine.period_bound(graph), all_on_one, no_limit, budget);
  EXPECT_TRUE(finished.is_proven());
  EXPECT_LT(finished.period, stopped.period);
  EXPECT_LT(budget, no_limit);
}

}  // namespace
}  // namespace takt::schedulers
