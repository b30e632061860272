/// Is no schedule on links faster than their bound, and is the bound useful?

#include "schedulers/bounds/link_bound.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/graphs/generators.hpp"
#include "schedulers/bounds/global_min_cut.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/judge/evaluation.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {
namespace bounds_link_bound_test {

TEST(GlobalMinCut, is_the_least_of_all_subsets) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const std::size_t nodes = 2 + random() % 7;
    CutWeights weights(nodes, std::vector<double>(nodes, 0.0));
    for (std::size_t a = 0; a < nodes; ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (random() % 3 != 0) weights[a][b] = weights[b][a] = static_cast<double>(random() % 20);
    double least = std::numeric_limits<double>::infinity();
    for (unsigned set = 1; set + 1 < 1U << nodes; ++set) {
      double cut = 0;
      for (std::size_t a = 0; a < nodes; ++a)
        for (std::size_t b = 0; b < a; ++b)
          if ((set >> a & 1U) != (set >> b & 1U)) cut += weights[a][b];
      least = std::min(least, cut);
    }
    EXPECT_EQ(global_min_cut(weights), least);
  }
  EXPECT_EQ(global_min_cut({{0.0}}), 0);
}

TEST(CapacityTree, has_the_least_cut_between_any_two_nodes) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    Network network{.node_count = 2 + random() % 5, .links = {}};
    for (std::size_t a = 0; a < network.node_count; ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (random() % 3 != 0)
          network.connect(NodeId(a), NodeId(b), 1, 1.0 / static_cast<double>(1 + random() % 9));
    const CapacityTree tree = capacity_tree(network);
    for (std::size_t u = 0; u < network.node_count; ++u)
      for (std::size_t v = 0; v < u; ++v) {
        double least = std::numeric_limits<double>::infinity();
        for (unsigned set = 0; set < 1U << network.node_count; ++set) {
          if ((set >> u & 1U) == (set >> v & 1U)) continue;
          double cut = 0;
          for (const Link& link : network.links)
            if ((set >> link.from.index() & 1U) != (set >> link.to.index() & 1U)) cut += 1 / link.per_byte;
          least = std::min(least, cut);
        }
        // The path between the two in the tree: parents have lower numbers only at first.
        const auto way = [&](std::size_t node) {
          std::vector<std::size_t> nodes{node};
          while (nodes.back() != 0) nodes.push_back(tree.parent[nodes.back()]);
          return nodes;
        };
        const std::vector<std::size_t> from_u = way(u), from_v = way(v);
        double seen = std::numeric_limits<double>::infinity();
        for (const auto& [one, other] : {std::pair(&from_u, &from_v), std::pair(&from_v, &from_u)})
          for (const std::size_t node : *one)
            if (std::ranges::find(*other, node) == other->end()) seen = std::min(seen, tree.capacity[node]);
        EXPECT_NEAR(seen, least, 1e-6 * (1 + least));
      }
  }
}

/// Two clusters of three nodes each, connected by a link with this time per byte.
logp::Machine two_clusters(double per_byte) {
  const logp::Machine base = logp::parse_machine("delay:P=6,network=ring:6");
  Platform platform = base.platform();
  platform.network = {.node_count = 6, .links = {}};
  for (const auto& [a, b] : {std::pair(0, 1), {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}})
    platform.network.connect(NodeId(a), NodeId(b), 1, 0.25);
  platform.network.connect(NodeId(2), NodeId(3), 1, per_byte);
  return {std::move(platform), base.level_costs(), base.pair_costs(), base.cluster_costs()};
}

void expect_nothing_is_faster(const TaskGraph& graph, const logp::Machine& machine) {
  const Period bound = link_bound(graph, machine);
  for (const char* name : {"optfo", "basic_fo", "greedy", "single", "mh", "dls_apn"}) {
    SCOPED_TRACE(name);
    const Evaluation evaluation = evaluate(find_scheduler(name), graph, machine, {.effort = 3'000});
    ASSERT_TRUE(evaluation.figures.valid);
    EXPECT_GE(evaluation.figures.exact_period(), bound);
  }
}

TEST(LinkBound, is_below_every_schedule_of_the_library) {
  for (const char* network : {"ring:6", "mesh:2x3", "star:6", "fat_tree:2x3", "complete:6", "switch:6"})
    for (int seed = 1; seed <= 4; ++seed)
      for (const double ccr : {0.3, 10.0}) {
        SCOPED_TRACE(fmt::format("{}, seed {}, ccr {}", network, seed, ccr));
        const int processors = std::string_view(network) == "fat_tree:2x3" ? 8 : 6;
        const logp::Machine machine = logp::parse_machine(
            fmt::format("delay:P={},network={},link=3+{}", processors, network, seed % 2 == 0 ? 1.0 : 0.25));
        expect_nothing_is_faster(
            generate(fmt::format("layered:tasks={},cost=1..60,ccr={},seed={}", 5 + 4 * seed, ccr, seed)),
            machine);
      }
}

/// Costs of messages inside a part do not bound schedules that use one of its processors.
TEST(LinkBound, is_below_the_time_of_one_processor_of_several) {
  const logp::Machine base = logp::parse_machine("logp:P=6,L=1,o=100,g=1");
  Platform platform = base.platform();
  platform.node_of = {0, 0, 0, 1, 1, 1};
  platform.cluster_of_node = {0, 0};
  platform.network = {.node_count = 2, .links = {}};
  platform.network.connect(NodeId(0), NodeId(1), 1, 40);
  const logp::Machine machine{std::move(platform), base.level_costs(), base.pair_costs(),
                              base.cluster_costs()};
  TaskGraphBuilder builder;
  TaskId before = builder.add_task({.name = "a", .work = Time{5}});
  for (const char* name : {"b", "c", "d"}) {
    const TaskId next = builder.add_task({.name = name, .work = Time{5}});
    builder.add_edge(before, next, Bytes{10});
    before = next;
  }
  const TaskGraph graph = std::move(builder).build();
  EXPECT_EQ(link_bound(graph, machine), (Period{Time{20}}));
  expect_nothing_is_faster(graph, machine);
}

/// The processors alone would allow all six to share the work; the slow link allows three of them.
TEST(LinkBound, detects_that_a_slow_link_separates_clusters) {
  std::size_t met = 0;
  for (int seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const TaskGraph graph = generate(fmt::format("wave:depth=3,width=6,cost=1..30,data=10,seed={}", seed));
    const logp::Machine machine = two_clusters(40);
    const double of_six = PeriodBounds(graph, machine).best().period.ticks();
    const Period bound = link_bound(graph, machine);
    EXPECT_GT(bound.ticks(), 1.9 * of_six);
    expect_nothing_is_faster(graph, machine);
    const Evaluation best = evaluate(find_scheduler("optfo"), graph, machine, {.effort = 20'000});
    EXPECT_GE(best.figures.bound, bound);
    met += best.figures.exact_period().ticks() < 1.03 * bound.ticks();
    // On a fast link all work together, and the bound is not above that of the processors.
    EXPECT_LT(link_bound(graph, two_clusters(0.25)).ticks(), 1.1 * of_six);
  }
  EXPECT_GE(met, 5U);
}

TEST(LinkBound, is_zero_if_frames_may_use_different_processors) {
  EXPECT_EQ(link_bound(generate("wave:depth=3,width=4,cost=9,data=10,stateless=1"), two_clusters(40)),
            Period{});
  EXPECT_EQ(link_bound(generate("wave:depth=3,width=4,cost=9,data=10"), logp::parse_machine("delay:P=6")),
            Period{});
}

}  // namespace bounds_link_bound_test
}  // namespace takt::schedulers
