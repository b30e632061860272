/// Tests of the shapes of regular networks and of shortest routes.

#include "core/network.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/random.hpp"

namespace takt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

/// Length of the longest shortest route, in links.
std::size_t diameter(const Network& network) {
  const Routes routes(network);
  std::size_t longest = 0;
  for (std::size_t a = 0; a < network.node_count; ++a)
    for (std::size_t b = 0; b < network.node_count; ++b)
      longest = std::max(longest, routes.distance(NodeId(a), NodeId(b)));
  return longest;
}

struct Shape {
  const char* text;
  std::size_t nodes;
  /// Both directions count as one.
  std::size_t connections;
  std::size_t diameter;
};

class RegularNetwork : public ::testing::TestWithParam<Shape> {};

TEST_P(RegularNetwork, has_its_nodes_connections_and_diameter) {
  const Shape& shape = GetParam();
  const Network network = parse_network(shape.text);
  EXPECT_EQ(network.node_count, shape.nodes) << shape.text;
  EXPECT_EQ(network.links.size(), 2 * shape.connections) << shape.text;
  EXPECT_EQ(diameter(network), shape.diameter) << shape.text;
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, RegularNetwork,
    ::testing::Values(
        Shape{"ring:1", 1, 0, 0}, Shape{"ring:2", 2, 1, 1}, Shape{"ring:3", 3, 3, 1},
        Shape{"ring:8", 8, 8, 4}, Shape{"mesh:1x5", 5, 4, 4}, Shape{"mesh:3x4", 12, 17, 5},
        // 2 * 4 * 4 connections, at most 2 + 2 steps; a direction with 2 nodes has no second route.
        Shape{"torus:4x4", 16, 32, 4}, Shape{"torus:2x3", 6, 9, 2}, Shape{"hypercube:0", 1, 0, 0},
        Shape{"hypercube:4", 16, 32, 4}, Shape{"star:5", 5, 4, 2}, Shape{"complete:6", 6, 15, 1},
        // 8 leaves, 4 + 2 + 1 switches, each but the last with an uplink.
        Shape{"fat_tree:2x3", 15, 14, 6}));

TEST(FatTree, gets_faster_towards_its_root) {
  const Network network = parse_network("fat_tree:4x2", {8, 4});
  EXPECT_EQ(network.node_count, 16U + 4 + 1);
  EXPECT_EQ(network.links.front().per_byte, 4.0);
  EXPECT_EQ(network.links.back().per_byte, 1.0);
  EXPECT_EQ(network.links.back().latency, 8.0);
  // Nodes 0 and 5 are under different switches, 0 and 1 under one.
  EXPECT_EQ(Routes(network).distance(NodeId(0), NodeId(5)), 4U);
  EXPECT_EQ(Routes(network).distance(NodeId(0), NodeId(1)), 2U);
}

TEST(RegularNetworks, have_switches_without_processors) {
  EXPECT_EQ(parse_network("fat_tree:2x3").place_count(), 8U);
  EXPECT_EQ(parse_network("fat_tree:5x1").place_count(), 5U);
  EXPECT_EQ(parse_network("channels:6").place_count(), 6U);
  EXPECT_EQ(parse_network("switch:6").place_count(), 6U);
  for (const char* text : {"ring:6", "mesh:2x3", "torus:2x3", "hypercube:3", "star:6", "complete:6"})
    EXPECT_EQ(parse_network(text).place_count(), parse_network(text).node_count) << text;
}

TEST(Routes, in_a_hypercube_take_a_link_for_each_bit) {
  const Network network = parse_network("hypercube:5");
  const Routes routes(network);
  for (unsigned a = 0; a < 32; ++a)
    for (unsigned b = 0; b < 32; ++b)
      EXPECT_EQ(routes.distance(NodeId(a), NodeId(b)), static_cast<std::size_t>(std::popcount(a ^ b)));
}

TEST(Routes, are_connected_and_take_the_least_time) {
  // Compares with Floyd and Warshall on random networks that contain a ring, so that every node is reachable.
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    const std::size_t nodes = 2 + random.below(12);
    Network network{nodes, {}};
    for (std::size_t i = 0; i < nodes; ++i)
      network.links.push_back({NodeId(i), NodeId((i + 1) % nodes), static_cast<double>(random.below(20)), 1});
    for (std::uint64_t i = random.below(3 * nodes); i > 0; --i)
      network.links.push_back({NodeId(random.below(nodes)), NodeId(random.below(nodes)),
                               static_cast<double>(random.below(20)), static_cast<double>(random.below(3))});
    std::vector<std::vector<double>> least(nodes, std::vector<double>(nodes, 1e9));
    for (std::size_t i = 0; i < nodes; ++i) least[i][i] = 0;
    for (const Link& link : network.links) {
      double& time = least[link.from.index()][link.to.index()];
      time = std::min(time, link.latency + link.per_byte);
    }
    for (std::size_t k = 0; k < nodes; ++k)
      for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t j = 0; j < nodes; ++j)
          least[i][j] = std::min(least[i][j], least[i][k] + least[k][j]);

    const Routes routes(network);
    for (std::size_t a = 0; a < nodes; ++a)
      for (std::size_t b = 0; b < nodes; ++b) {
        NodeId at(a);
        double time = 0;
        for (LinkId id : routes.route(NodeId(a), NodeId(b))) {
          EXPECT_EQ(network.link(id).from, at);
          at = network.link(id).to;
          time += network.link(id).latency + network.link(id).per_byte;
        }
        EXPECT_EQ(at, NodeId(b));
        EXPECT_EQ(time, least[a][b]) << "seed " << seed;
      }
  }
}

TEST(Routes, have_the_fewest_links_among_equals) {
  Network network{3, {}};
  network.links = {{NodeId(0), NodeId(1), 1, 0},
                   {NodeId(1), NodeId(2), 1, 0},
                   {NodeId(0), NodeId(2), 2, 0},
                   {NodeId(2), NodeId(0), 1, 0},
                   {NodeId(1), NodeId(0), 1, 0}};
  EXPECT_THAT(Routes(network).route(NodeId(0), NodeId(2)), ElementsAre(LinkId(2)));
  EXPECT_THAT(Routes(network).route(NodeId(1), NodeId(1)), IsEmpty());
}

TEST(Routes, refuse_networks_with_unreachable_nodes) {
  Network network{3, {}};
  network.connect(NodeId(0), NodeId(1), 0, 1);
  EXPECT_THAT([&] { Routes routes(network); },
              ThrowsMessage<ConfigError>(HasSubstr("no route through the network from node 0 to 2")));
  network.links.push_back({NodeId(0), NodeId(7), 0, 1});
  EXPECT_THAT([&] { Routes routes(network); },
              ThrowsMessage<ConfigError>(HasSubstr("link 2 goes from node 0 to 7: there are only 3")));
}

TEST(NetworkText, errors_contain_an_example) {
  auto refusal = [](const char* text, const char* says) {
    EXPECT_THAT([&] { (void)parse_network(text); }, ThrowsMessage<ConfigError>(HasSubstr(says))) << text;
  };
  refusal("rign:4", "unknown network 'rign'; did you mean 'ring'?");
  refusal("ring", "expected the form ring:8");
  refusal("ring:x", "expected the form ring:8");
  refusal("mesh:4", "expected the form mesh:3x4");
  refusal("mesh:4x", "expected the form mesh:3x4");
  refusal("ring:0", "needs 1 to 4096 nodes");
  refusal("mesh:100000x100000", "two numbers from 1 to 4096");
  refusal("hypercube:60", "0 to 12 dimensions");
  // 2^11 leaves and 2^11 - 1 switches are 4095 nodes.
  EXPECT_EQ(parse_network("fat_tree:2x11").node_count, 4095U);
  refusal("fat_tree:2x12", "so 1 to 11 levels of arity 2: these are 2^12 leaves");
  refusal("fat_tree:2x32", "so 1 to 11 levels of arity 2: these are 2^32 leaves");
  refusal("fat_tree:4095x2", "so 1 level of arity 4095");
  refusal("fat_tree:5000x1", "so no level of arity 5000");
  refusal("fat_tree:1x3", "an arity of 2 at least");
}

TEST(Link, transfer_time_is_latency_plus_time_per_byte) {
  EXPECT_EQ((Link{NodeId(0), NodeId(1), 5, 0.25}.transfer_time(Bytes{10})), Time{8});  // 7.5 rounds up
}

}  // namespace
}  // namespace takt
