/// Do allotments, rounding and guarantees agree with their definitions?

#include "schedulers/moldable/allotment.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/graphs/levels.hpp"
#include "schedulers/moldable/guarantee.hpp"
#include "schedulers/moldable/mcgas.hpp"
#include "schedulers/moldable/trade_off.hpp"
#include "tests/schedulers/moldable/examples.hpp"

namespace takt::schedulers {
namespace {

using moldable_tests::amdahl_graph;
using moldable_tests::measured_graph;

/// CPA as in its paper: each step computes everything from scratch.
Allotment slow_cpa(const TaskGraph& graph, std::size_t limit, double divisor) {
  Allotment allotment(graph.task_count(), 1);
  const auto time = [&](TaskId task, std::size_t p) { return graph.task(task).time_on(p); };
  for (;;) {
    std::vector<double> before(graph.task_count(), 0), after(graph.task_count(), 0);
    const auto order = graph.topological_order();
    double longest = 0;
    for (TaskId task : order)
      for (EdgeId edge : graph.in_edges(task)) {
        const TaskId from = graph.edge(edge).from;
        before[task.index()] =
            std::max(before[task.index()], before[from.index()] + time(from, allotment[from.index()]));
      }
    for (std::size_t i = order.size(); i-- > 0;) {
      for (EdgeId edge : graph.out_edges(order[i]))
        after[order[i].index()] = std::max(after[order[i].index()], after[graph.edge(edge).to.index()]);
      after[order[i].index()] += time(order[i], allotment[order[i].index()]);
      longest = std::max(longest, after[order[i].index()]);
    }
    if (longest <= total_work(graph, allotment) / divisor) return allotment;
    TaskId best;
    double most = 0;
    for (TaskId task : graph.tasks()) {
      std::size_t& p = allotment[task.index()];
      if (before[task.index()] + after[task.index()] < longest * (1 - 1e-12) ||
          p >= graph.task(task).most_processors(limit))
        continue;
      const double gain =
          time(task, p) / static_cast<double>(p) - time(task, p + 1) / static_cast<double>(p + 1);
      if (gain > most) {
        most = gain;
        best = task;
      }
    }
    if (most == 0) return allotment;
    ++allotment[best.index()];
  }
}

TEST(Cpa, agrees_with_the_paper_step_by_step) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const TaskGraph graph = amdahl_graph(seed, 18);
    for (const double divisor : {5.0, 40.0, 200.0})
      EXPECT_EQ(allot_by_critical_path(graph, AllowedNumbers(32, {}), {divisor, {}}),
                slow_cpa(graph, 32, divisor))
          << seed << ' ' << divisor;
  }
}

TEST(Mcpa, never_allots_a_layer_more_processors_than_there_are) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const TaskGraph graph = amdahl_graph(seed, 30);
    const Allotment allotment = allot_by_critical_path(graph, AllowedNumbers(40, {}), {40, 40});
    for (const std::vector<TaskId>& layer : tasks_by_layer(graph)) {
      std::size_t sum = 0;
      for (TaskId task : layer) sum += allotment[task.index()];
      EXPECT_LE(sum, std::max<std::size_t>(40, layer.size()));
    }
  }
}

TEST(AllowedNumbers, are_distributed_as_in_table_4) {
  // Dutot et al. 2009, table 4: up to 215. The rounding is not defined there.
  const std::vector<std::size_t> paper{1,  2,  3,  4,  5,  7,  9,   11,  14,  17,
                                       23, 29, 38, 48, 62, 79, 102, 130, 168, 215};
  const AllowedNumbers allowed(215, 20);
  ASSERT_EQ(allowed.all().size(), paper.size());
  for (std::size_t i = 0; i < paper.size(); ++i)
    EXPECT_NEAR(static_cast<double>(allowed.all()[i]) / static_cast<double>(paper[i]), 1, i < 4 ? 0 : 0.15)
        << i;
  EXPECT_EQ(allowed.all().back(), 215);
  EXPECT_THAT(AllowedNumbers(4, 100).all(), ::testing::ElementsAre(1, 2, 3, 4));
}

TEST(Mcgas, uses_remaining_work_without_a_longer_path_or_more_work_than_guaranteed) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const double mu : {0.3, 0.66, 0.8}) {
      const TaskGraph graph = amdahl_graph(seed, 25);
      const Clusters clusters(moldable_tests::clusters({{30}, {20}}, false));
      MoldableOptions options{.mu = mu, .bound = 20}, as_rounded = options;
      as_rounded.left_work = LeftWork::stays;
      const McgasPlan plain = plan_mcgas(graph, clusters, as_rounded).front(),
                      used = plan_mcgas(graph, clusters, options).front();
      EXPECT_LE(critical_path(graph, used.allotment), critical_path(graph, plain.allotment) * (1 + 1e-12));
      EXPECT_LE(total_work(graph, used.allotment),
                50 * best_trade_off(graph, AllowedNumbers(30, {}), 50, TradeOffCost::activities).bound / mu *
                    (1 + 1e-9));
      for (TaskId task : graph.tasks()) {
        EXPECT_GE(used.allotment[task.index()], plain.allotment[task.index()]);
        EXPECT_LE(used.allotment[task.index()], 20);
      }
    }
}

TEST(Rounding, keeps_path_and_work_within_the_factors_of_mu) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed)
    for (const bool measured : {false, true})
      for (const TradeOffCost cost : {TradeOffCost::activities, TradeOffCost::hull})
        for (const double mu : {0.1, 0.5, 0.66, 0.9}) {
          const TaskGraph graph = measured ? measured_graph(seed, 25) : amdahl_graph(seed, 25);
          const AllowedNumbers allowed(60, {});
          const TradeOff best = best_trade_off(graph, allowed, 100, cost);
          const Allotment rounded = round_trade_off(graph, allowed, best, mu, cost);
          EXPECT_LE(critical_path(graph, rounded), best.length / (1 - mu) * (1 + 1e-6));
          EXPECT_LE(total_work(graph, rounded), best.work / mu * (1 + 1e-6));
        }
}

TEST(TradeOff, at_its_ends_allots_one_processor_or_all_of_them) {
  // Ten independent tasks on two processors: no task needs a second one.
  TaskGraphBuilder builder;
  for (int i = 0; i < 10; ++i)
    builder.add_task({fmt::format_int(i).str(), Time(100), false, MoldableProfile{0.5, {}}});
  const TaskGraph independent = std::move(builder).build();
  const TradeOff many = best_trade_off(independent, AllowedNumbers(2, {}), 2, TradeOffCost::activities);
  EXPECT_DOUBLE_EQ(many.bound, 500);
  EXPECT_EQ(round_trade_off(independent, AllowedNumbers(2, {}), many, 0.5, TradeOffCost::activities),
            Allotment(10, 1));
  // A chain on as many processors as one task can have: the path is always longer than the work over them.
  const TaskGraph chain = generate("chain:depth=4,cost=100,alpha=0.5");
  const TradeOff row = best_trade_off(chain, AllowedNumbers(8, {}), 1000, TradeOffCost::activities);
  EXPECT_DOUBLE_EQ(row.bound, 5 * 100 * (0.5 + 0.5 / 8));
  EXPECT_EQ(round_trade_off(chain, AllowedNumbers(8, {}), row, 0.5, TradeOffCost::activities),
            Allotment(5, 8));
}

const std::vector<std::size_t> grid5000{53, 56, 47, 216, 99, 74};

TEST(Guarantee, equals_that_of_the_paper) {
  // Section 4.3: b = 87 (so S = 143), mu = 1 / (1 + sqrt((S - 1) / m)) = 0.662, ratio 8.695.
  const MuAndBound best = best_guarantee(grid5000);
  EXPECT_EQ(best.bound, 87);
  EXPECT_NEAR(best.mu, 1 / (1 + std::sqrt(142.0 / 545)), 5e-4);
  EXPECT_NEAR(guarantee_ratio(grid5000, best), 8.695, 1e-3);
  // "the performance ratio is lower than 10 ... this value is mu = 0.81".
  EXPECT_NEAR(guarantee_ratio(grid5000, {0.81, 87}), 9.93, 5e-3);
  EXPECT_NEAR(largest_mu(grid5000, 87, 10).value(), 0.813, 5e-4);
  EXPECT_NEAR(guarantee_ratio(grid5000, {smallest_mu(grid5000, 87, 10).value(), 87}), 10, 1e-6);
  EXPECT_LT(smallest_mu(grid5000, 87, 10).value(), 0.662);
  EXPECT_FALSE(largest_mu(grid5000, 87, 8.6));
  EXPECT_FALSE(largest_mu(grid5000, 216, 10));
}

TEST(Guarantee, is_the_best_over_alpha) {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    std::vector<std::size_t> sizes(1 + random.below(5));
    for (std::size_t& size : sizes) size = 1 + random.below(100);
    const std::size_t largest = *std::ranges::max_element(sizes), bound = 1 + random.below(largest);
    const double mu = 0.01 + 0.98 * random.unit();
    const auto m = static_cast<double>(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
    const auto b = static_cast<double>(bound);
    double s = 0;
    for (std::size_t size : sizes)
      for (std::size_t used = bound; used <= size; ++used) ++s;
    double beta = 0;
    for (int step = 0; step <= 100'000; ++step) {
      const double alpha = step / 1e5;
      const double one = alpha * (1 - mu) + (1 - alpha) * mu / m;
      const double two = b * (alpha * (1 - mu) / static_cast<double>(largest) + (1 - alpha) * mu / m);
      const double three = (1 - alpha) * mu * s / m;
      beta = std::max(beta, std::min({one, two, three}));
    }
    EXPECT_NEAR(guarantee_ratio(sizes, {mu, bound}) * beta, 1, 2e-3);
  }
}

TEST(Guarantee, of_one_processor_is_optimal) {
  const std::vector<std::size_t> one{1};
  // Without a choice: 1 / (1 - mu) and 1 / mu meet at one half; rounding itself loses nothing here.
  EXPECT_NEAR(guarantee_ratio(one, best_guarantee(one)), 1, 1e-3);
}

}  // namespace
}  // namespace takt::schedulers
