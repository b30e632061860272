#include "core/graphs/topologies.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/graphs/casch.hpp"

namespace takt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

using Arcs = std::set<std::pair<std::size_t, std::size_t>>;

Arcs arcs_of(const Topology& topology) {
  Arcs arcs;
  for (const Arc& arc : topology.arcs) arcs.insert({arc.from, arc.to});
  EXPECT_EQ(arcs.size(), topology.arcs.size()) << "an edge stands twice";
  return arcs;
}

/// Longest path from an entry; edges lead to higher numbers.
std::vector<std::size_t> layers_of(const Topology& topology) {
  std::vector<Arc> arcs = topology.arcs;
  std::sort(arcs.begin(), arcs.end());
  std::vector<std::size_t> layer(topology.task_count, 0);
  for (const Arc& arc : arcs) layer[arc.to] = std::max(layer[arc.to], layer[arc.from] + 1);
  return layer;
}

// Tasks and edges by the formulas of each shape.
TEST(Topologies, have_the_numbers_of_tasks_and_edges_of_their_formulas) {
  for (std::size_t d = 0; d <= 8; ++d) {
    const std::size_t two = std::size_t{1} << d;
    const std::map<std::string, std::tuple<Topology, std::size_t, std::size_t>> cases{
        {"chain", {chain_topology(d), d + 1, d}},
        {"fork_join", {fork_join_topology(d, 4), 5 * d + 1, 8 * d}},
        {"diamond", {diamond_topology(d), 3 * d + 1, 4 * d}},
        {"send_tree", {send_tree_topology(d), 2 * two - 1, 2 * two - 2}},
        {"receive_tree", {receive_tree_topology(d), 2 * two - 1, 2 * two - 2}},
        {"fft", {fft_topology(d), (d + 1) * two, 2 * d * two}},
        {"inverse_fft", {inverse_fft_topology(d), (d + 1) * two, 2 * d * two}},
        {"wave", {wave_topology(d, 6), (d + 1) * 6, d * 16}},
        {"wave of width 1", {wave_topology(d, 1), d + 1, d}},
        {"gauss", {gauss_topology(d + 2), ((d + 2) * (d + 3) - 2) / 2, (d + 2) * (d + 1) - 1}},
        {"laplace", {laplace_topology(d + 1), (d + 1) * (d + 1), 2 * (d + 1) * d}},
        {"nbody", {nbody_topology(d + 2, 3), 3 * (d + 2) * (d + 2), 2 * (d + 2) * (3 * (d + 2) - 1)}},
    };
    for (const auto& [name, expected] : cases) {
      const auto& [topology, tasks, edges] = expected;
      EXPECT_EQ(topology.task_count, tasks) << name << " of depth " << d;
      EXPECT_EQ(arcs_of(topology).size(), edges) << name << " of depth " << d;
    }
  }
}

TEST(Topologies, number_tasks_layer_by_layer) {
  const std::map<std::string, Topology> cases{{"fork_join", fork_join_topology(3, 4)},
                                              {"send_tree", send_tree_topology(4)},
                                              {"receive_tree", receive_tree_topology(4)},
                                              {"fft", fft_topology(4)},
                                              {"inverse_fft", inverse_fft_topology(4)},
                                              {"wave", wave_topology(4, 3)},
                                              {"gauss", gauss_topology(6)},
                                              {"laplace", laplace_topology(5)},
                                              {"nbody", nbody_topology(4, 2)},
                                              {"strassen", strassen_topology(2)}};
  for (const auto& [name, topology] : cases) {
    const std::vector<std::size_t> layer = layers_of(topology);
    EXPECT_TRUE(std::is_sorted(layer.begin(), layer.end())) << name;
    for (const Arc& arc : topology.arcs) EXPECT_LT(arc.from, arc.to) << name;
  }
}

TEST(Topologies, send_tree_goes_from_the_root_to_its_leaves) {
  EXPECT_THAT(arcs_of(send_tree_topology(2)), ElementsAre(std::pair(0, 1), std::pair(0, 2), std::pair(1, 3),
                                                          std::pair(1, 4), std::pair(2, 5), std::pair(2, 6)));
}

TEST(Topologies, receive_tree_is_the_send_tree_reversed) {
  // Task i of the send tree is task n - 1 - i here, from right to left and bottom to top.
  for (std::uint64_t depth = 0; depth < 7; ++depth) {
    const Topology tree = send_tree_topology(depth);
    Arcs reversed;
    for (const Arc& arc : tree.arcs)
      reversed.insert({tree.task_count - 1 - arc.to, tree.task_count - 1 - arc.from});
    EXPECT_EQ(arcs_of(receive_tree_topology(depth)), reversed);
  }
}

TEST(Topologies, fft_connects_equal_rows_and_rows_that_differ_in_one_bit) {
  for (std::size_t depth = 0; depth < 6; ++depth) {
    const std::size_t n = std::size_t{1} << depth;
    Arcs forward, backward;
    for (std::size_t layer = 0; layer < depth; ++layer)
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b) {
          const bool connected = a == b || (std::popcount(a ^ b) == 1 && ((a ^ b) >> layer) == 1);
          if (!connected) continue;
          forward.insert({layer * n + a, (layer + 1) * n + b});
          backward.insert({(depth - layer - 1) * n + b, (depth - layer) * n + a});
        }
    EXPECT_EQ(arcs_of(fft_topology(depth)), forward);
    EXPECT_EQ(arcs_of(inverse_fft_topology(depth)), backward);
  }
}

TEST(Topologies, diamonds_share_their_ends) {
  EXPECT_THAT(arcs_of(diamond_topology(2)),
              ElementsAre(std::pair(0, 1), std::pair(0, 2), std::pair(1, 3), std::pair(2, 3), std::pair(3, 4),
                          std::pair(3, 5), std::pair(4, 6), std::pair(5, 6)));
}

TEST(Topologies, wave_feeds_the_neighbours_that_exist) {
  EXPECT_THAT(arcs_of(wave_topology(1, 3)),
              ElementsAre(std::pair(0, 3), std::pair(0, 4), std::pair(1, 3), std::pair(1, 4), std::pair(1, 5),
                          std::pair(2, 4), std::pair(2, 5)));
}

TEST(Topologies, gauss_updates_the_columns_after_each_pivot) {
  // 3 x 3: pivot 0, updates 1 (column 2) and 2 (column 3); pivot 3, update 4.
  EXPECT_THAT(arcs_of(gauss_topology(3)), ElementsAre(std::pair(0, 1), std::pair(0, 2), std::pair(1, 3),
                                                      std::pair(2, 4), std::pair(3, 4)));
}

TEST(Topologies, laplace_sweeps_the_grid_by_anti_diagonals) {
  // 3 x 3, points (i, j) in order: 00 | 01 10 | 02 11 20 | 12 21 | 22.
  EXPECT_THAT(arcs_of(laplace_topology(3)),
              ElementsAre(std::pair(0, 1), std::pair(0, 2), std::pair(1, 3), std::pair(1, 4), std::pair(2, 4),
                          std::pair(2, 5), std::pair(3, 6), std::pair(4, 6), std::pair(4, 7), std::pair(5, 7),
                          std::pair(6, 8), std::pair(7, 8)));
}

TEST(Topologies, nbody_passes_each_group_once_around_the_ring) {
  const Topology ring = nbody_topology(3, 1);
  EXPECT_THAT(arcs_of(ring), ElementsAre(std::pair(0, 3), std::pair(0, 4), std::pair(1, 4), std::pair(1, 5),
                                         std::pair(2, 3), std::pair(2, 5), std::pair(3, 6), std::pair(3, 7),
                                         std::pair(4, 7), std::pair(4, 8), std::pair(5, 6), std::pair(5, 8)));
}

// One level: 10 additions without inputs, of which M1, M6, M7 need two each and M2 to M5 one each (10 edges),
// and 8 additions of two operands (16 edges). The longest path is addition, product, M1 + M4, - M5, + M7.
TEST(Topologies, strassen_has_18_additions_and_7_products_a_level) {
  const Topology one = strassen_topology(1);
  EXPECT_EQ(one.task_count, 25U);
  EXPECT_EQ(arcs_of(one).size(), 26U);
  const std::vector<std::size_t> layer = layers_of(one);
  EXPECT_EQ(std::count(layer.begin(), layer.end(), 0U), 10);
  EXPECT_EQ(std::count(layer.begin(), layer.end(), 1U), 7);
  EXPECT_EQ(*std::max_element(layer.begin(), layer.end()), 4U);
  EXPECT_EQ(strassen_topology(0).task_count, 1U);
  EXPECT_EQ(strassen_topology(2).task_count, 18U + 7 * 25);
  EXPECT_EQ(strassen_topology(3).task_count, 18U + 7 * (18 + 7 * 25));
}

TEST(Topologies, layered_graphs_keep_to_their_width_and_jump) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Topology graph = layered_topology(
        {.tasks = 400, .width = 0.5, .regularity = 1, .density = 0.3, .jump = 1, .seed = seed});
    // With regularity 1 every layer has 400^0.5 = 20 tasks, and jump 1 restricts edges to adjacent
    // layers.
    EXPECT_EQ(graph.task_count, 400U);
    std::vector<int> parents(400, 0);
    for (const Arc& arc : graph.arcs) {
      EXPECT_EQ(arc.to / 20, arc.from / 20 + 1);
      ++parents[arc.to];
    }
    // At least one parent, at most 1 + density * 20.
    for (std::size_t task = 20; task < 400; ++task) {
      EXPECT_GE(parents[task], 1);
      EXPECT_LE(parents[task], 7);
    }
  }
}

TEST(Topologies, layered_graphs_have_the_requested_degree) {
  for (std::uint64_t degree : {1, 2, 5, 10, 50}) {
    // Layers of 10 tasks: at most 20 within reach, 10 from the second layer.
    const Topology graph = layered_topology({.tasks = 100, .regularity = 1, .degree = degree, .jump = 2});
    std::vector<std::set<std::size_t>> parents(100);
    for (const Arc& arc : graph.arcs) {
      EXPECT_GE(arc.to / 10, arc.from / 10 + 1);
      EXPECT_LE(arc.to / 10, arc.from / 10 + 2);
      EXPECT_TRUE(parents[arc.to].insert(arc.from).second);
    }
    for (std::size_t task = 10; task < 100; ++task)
      EXPECT_EQ(parents[task].size(), std::min<std::uint64_t>(degree, task < 20 ? 10 : 20));
  }
}

TEST(Topologies, layered_graphs_reach_from_a_chain_to_independent_tasks) {
  EXPECT_EQ(arcs_of(layered_topology({.tasks = 50, .width = 0, .regularity = 1})),
            arcs_of(chain_topology(49)));
  EXPECT_THAT(layered_topology({.tasks = 50, .width = 1, .regularity = 1}).arcs, IsEmpty());
}

TEST(Topologies, layered_graphs_jump_over_layers_when_they_may) {
  const Topology graph = layered_topology({.tasks = 400, .regularity = 1, .jump = 3});
  std::set<std::size_t> jumps;
  for (const Arc& arc : graph.arcs) jumps.insert(arc.to / 20 - arc.from / 20);
  EXPECT_THAT(jumps, ElementsAre(1, 2, 3));
}

TEST(Topologies, refuse_sizes_that_would_not_fit_before_allocating) {
  constexpr std::uint64_t huge = ~std::uint64_t{0};
  const std::vector<std::function<Topology()>> makers{
      [] { return chain_topology(huge); },
      [] { return fork_join_topology(huge, huge); },
      [] { return diamond_topology(huge); },
      [] { return send_tree_topology(60); },
      [] { return receive_tree_topology(huge); },
      [] { return fft_topology(60); },
      [] { return inverse_fft_topology(huge); },
      [] { return casch_fft_topology(huge); },
      [] { return casch_gauss_topology(huge); },
      [] { return casch_laplace_topology(huge, 1); },
      [] { return casch_nbody_topology(huge, 1); },
      [] { return wave_topology(huge, huge); },
      [] { return gauss_topology(huge); },
      [] { return laplace_topology(huge); },
      [] { return nbody_topology(huge, huge); },
      [] { return strassen_topology(huge); },
      [] { return layered_topology({.tasks = huge}); },
      [] { return layered_topology({.tasks = 200'000, .width = 0.95, .regularity = 1, .density = 1}); }};
  for (const auto& make : makers)
    EXPECT_THAT([&] { (void)make(); }, ThrowsMessage<ConfigError>(HasSubstr("the limit is")));
}

}  // namespace
}  // namespace takt
