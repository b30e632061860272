/// Are machine files read as documented, round trips exact, and errors placed?

#include "logp/machine_yaml.hpp"

#include <random>

#include <gmock/gmock.h>

#include "core/error.hpp"

namespace takt::logp {
namespace machine_yaml_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr ProcessorId p1{0}, p2{1}, p3{2};

TEST(MachineYaml, reads_the_documented_form) {
  const Machine machine = machine_from_yaml(R"(
processors: 3
speeds: [1, 1, 2]
nodes: [0, 0, 1]
clusters: [0, 0]
costs:
  node: {latency: 300, overhead: 200 + 0.05, gap: 250}
  cluster:
    latency: 12000 + 0.1
    send_overhead:
      - {from: 0, cost: 900 + 0.2}
      - {from: 4096, cost: 2500 + 0.1}
    receive_overhead: 1000
    gap: 1500
)",
                                            "m.yaml");
  EXPECT_EQ(machine.latency(p1, p2, Bytes{1}), Time{300});
  EXPECT_EQ(machine.receive_overhead(p1, p2, Bytes{1000}), Time{250});
  EXPECT_EQ(machine.latency(p1, p3, Bytes{1000}), Time{12100});
  EXPECT_EQ(machine.send_overhead(p1, p3, Bytes{4095}), Time{900 + 819});
  EXPECT_EQ(machine.send_overhead(p1, p3, Bytes{4096}), Time{2500 + 410});  // 409.6 rounds to 410
  EXPECT_EQ(machine.send_gap(p3, p1, Bytes{7}), Time{1500});
  EXPECT_EQ(machine.platform().speeds[2], 2.0);
}

TEST(MachineYaml, reads_networks_by_name_or_link_by_link) {
  const Machine named = machine_from_yaml("processors: 4\nnetwork: {topology: mesh:2x2, link: 5 + 0.5}", "m");
  EXPECT_EQ(named.platform().network, mesh_network(2, 2, {5, 0.5}));
  const Machine listed = machine_from_yaml(
      "processors: 2\nnetwork: {nodes: 3, links: [{from: 0, to: 2, cost: 4}, {between: [1, 2], cost: 1 + "
      "2}]}",
      "m");
  Network expected{3, {{NodeId(0), NodeId(2), 4, 0}}};
  expected.connect(NodeId(1), NodeId(2), 1, 2);
  EXPECT_EQ(listed.platform().network, expected);
  const Machine with_switch = machine_from_yaml(
      "processors: 2\nnetwork: {nodes: 3, switches: 1, links: [{between: [0, 2], cost: 4}, {between: [1, 2], "
      "cost: 4}]}",
      "m");
  EXPECT_EQ(with_switch.platform().network.place_count(), 2U);
  // A switch:2, link by link.
  EXPECT_EQ(with_switch.platform().network, switch_network(2, {4, 0}));
}

TEST(MachineYaml, reads_costs_of_pairs_instead_of_those_of_their_level) {
  const Machine machine = machine_from_yaml(R"(
processors: 3
nodes: [0, 0, 1]
costs:
  node: {latency: 300, overhead: 200, gap: 250}
  cluster: {latency: 5000, overhead: 900, gap: 1500}
  pairs:
    - {between: [0, 2], latency: 7000 + 1}
    - {from: 0, to: 1, overhead: 100, receive_gap: 0}
)",
                                            "m");
  for (auto [from, to] : {std::pair(p1, p3), std::pair(p3, p1)}) {
    EXPECT_EQ(machine.latency(from, to, Bytes{10}), Time{7010});
    EXPECT_EQ(machine.send_overhead(from, to, Bytes{10}), Time{900});  // as its level
  }
  EXPECT_EQ(machine.latency(p2, p3, Bytes{10}), Time{5000});
  EXPECT_EQ(machine.receive_overhead(p1, p2, Bytes{10}), Time{100});
  EXPECT_EQ(machine.receive_gap(p1, p2, Bytes{10}), Time{0});
  EXPECT_EQ(machine.send_gap(p1, p2, Bytes{10}), Time{250});
  EXPECT_EQ(machine.receive_overhead(p2, p1, Bytes{10}), Time{200});
}

TEST(MachineYaml, profiles_have_pairs_of_their_own) {
  const std::string text =
      "processors: 2\nprofiles: {a: {all: {latency: 1}, pairs: [{from: 0, to: 1, latency: 2}]}, b: {all: "
      "{latency: 3}}}";
  EXPECT_EQ(machine_from_yaml(text, "m", "a").latency(p1, p2, Bytes{1}), Time{2});
  EXPECT_EQ(machine_from_yaml(text, "m", "b").latency(p1, p2, Bytes{1}), Time{3});
}

TEST(MachineYaml, writes_costs_that_are_equal_in_both_directions_once) {
  const std::string text =
      "processors: 3\n"
      "costs:\n"
      "  all:\n"
      "    latency: 5\n"
      "    overhead: 2\n"
      "  pairs:\n"
      "    - between: [0, 1]\n"
      "      latency: 9\n"
      "    - from: 0\n"
      "      to: 2\n"
      "      send_overhead: 0\n";
  EXPECT_EQ(to_yaml(machine_from_yaml(text, "m")), text);
}

TEST(MachineYaml, a_measured_latency_may_be_negative) {
  const Machine machine =
      machine_from_yaml("processors: 2\ncosts: {all: {latency: -300 + 0.5, overhead: 400}}", "m");
  EXPECT_EQ(machine.latency(p1, p2, Bytes{100}), Time{-250});
}

TEST(MachineYaml, round_trip_is_exact) {
  std::mt19937_64 random(20240607);
  auto number = [&] {
    return std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 40) - 60);
  };
  for (int round = 0; round < 200; ++round) {
    Platform platform = Platform::uniform(1 + random() % 5);
    for (std::uint32_t& node : platform.node_of) node = static_cast<std::uint32_t>(random() % 5);
    platform.cluster_of_node.assign(5 + random() % 2, 0);
    for (std::uint32_t& cluster : platform.cluster_of_node)
      cluster = static_cast<std::uint32_t>(random() % 2);
    for (double& speed : platform.speeds) speed = number() + 1e-3;
    if (random() % 2)
      for (std::size_t p = 0; p < platform.processor_count(); ++p)
        platform.add_type(random() % 2 ? "big core" : "little");
    auto cost = [&](int least_sign = 1) {
      std::vector<Cost::Segment> segments{{Bytes{0}, number() * (random() % 2 ? 1 : least_sign), number()}};
      while (random() % 3 == 0)
        segments.push_back({Bytes{segments.back().from.count + 1 + random() % 10000}, number(), number()});
      return random() % 4 == 0 ? Cost() : Cost(segments);
    };
    if (random() % 2) {
      platform.network.switch_count = random() % 3;
      platform.network.has_circuits = random() % 2 == 0;
      platform.network.node_count = 5 + platform.network.switch_count;
      for (std::uint64_t i = 1 + random() % 6; i > 0; --i)
        platform.network.links.push_back({NodeId(random() % 5), NodeId(random() % 5), number(), number()});
    }
    std::array<LinkCosts, level_count> costs;
    for (LinkCosts& level : costs) level = {cost(-1), cost(), cost(), cost(), cost()};
    if (random() % 2) costs[2] = costs[3] = costs[1];
    if (random() % 2) costs[1].send_gap = costs[1].receive_gap;
    std::vector<PairCosts> pairs;
    for (ProcessorId from : ids<ProcessorId>(platform.processor_count()))
      for (ProcessorId to : ids<ProcessorId>(platform.processor_count())) {
        if (from == to || random() % 3) continue;
        pairs.push_back({from, to, {cost(-1), cost(), cost(), cost(), cost()}});
        if (random() % 2) pairs.back().costs.receive_overhead = pairs.back().costs.send_overhead;
        if (random() % 4 == 0) pairs.back().costs = costs[static_cast<std::size_t>(platform.level(from, to))];
        if (pairs.size() > 1 && random() % 2) pairs.back().costs = pairs[pairs.size() - 2].costs;
      }
    const Machine machine(platform, costs, pairs);
    const std::string text = to_yaml(machine);
    ASSERT_EQ(machine_from_yaml(text, "m.yaml"), machine) << text;
    ASSERT_EQ(to_yaml(machine_from_yaml(text, "m.yaml")), text);
  }
}

TEST(MachineYaml, reads_types_of_cores) {
  const Machine machine = machine_from_yaml(
      "core_types: {big: 2, little: {processors: 3, speed: 0.5}}\nnodes: [0, 0, 0, 0, 0]\ncosts: {node: {}}",
      "m");
  EXPECT_THAT(machine.platform().core_types, ElementsAre("big", "little"));
  EXPECT_THAT(machine.platform().type_of, ElementsAre(0, 0, 1, 1, 1));
  EXPECT_THAT(machine.platform().speeds, ElementsAre(1, 1, 0.5, 0.5, 0.5));
  EXPECT_EQ(machine_from_yaml(to_yaml(machine), "m"), machine);
  const Machine listed =
      machine_from_yaml("processors: 3\ncore_types: [little, big, little]\ncosts: {all: {}}", "m");
  EXPECT_THAT(listed.platform().type_of, ElementsAre(0, 1, 0));
  EXPECT_EQ(listed.platform().core_type(ProcessorId(1)), "big");
}

TEST(MachineYaml, subsets_and_grown_machines_keep_the_types) {
  const Platform platform =
      machine_from_yaml("core_types: {big: {processors: 1, speed: 2}, little: 2}\ncosts: {all: {}}", "m")
          .platform();
  const Platform part = platform.subset(std::vector{ProcessorId(2), ProcessorId(0)});
  EXPECT_THAT(part.core_types, ElementsAre("little", "big"));
  EXPECT_THAT(part.type_of, ElementsAre(0, 1));
  EXPECT_THAT(platform.grown(5).type_of, ElementsAre(0, 1, 1, 0, 0));
}

TEST(MachineYaml, reports_all_errors_with_their_places) {
  const std::string text =
      "processors: 2\n"
      "speds: [1, 2]\n"
      "nodes: [0, 1, 2]\n"
      "costs:\n"
      "  cluster: {latency: fast, overhad: 3}\n"
      "  rack: {}\n";
  auto read = [&] { (void)machine_from_yaml(text, "m.yaml"); };
  for (const char* expected :
       {"m.yaml:2:1: unknown key of a machine 'speds'; did you mean 'speeds'?",
        "m.yaml:3:8: 'nodes' has 3 entries: expected one for each of the 2 processors",
        "m.yaml:5:22: 'fast' is not a cost",
        "m.yaml:5:28: unknown key of a level's costs 'overhad'; did you mean 'overhead'?",
        "m.yaml:6:3: unknown key of a machine's costs 'rack'"})
    EXPECT_THAT(read, ThrowsMessage<ConfigError>(HasSubstr(expected)));
}

struct Refusal {
  std::string text;
  std::string says;
};

class MachineYamlRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(MachineYamlRefusal, reports_the_position_and_the_error) {
  EXPECT_THAT([] { (void)machine_from_yaml(GetParam().text, "m.yaml"); },
              ThrowsMessage<ConfigError>(HasSubstr(GetParam().says)));
}

INSTANTIATE_TEST_SUITE_P(
    Texts, MachineYamlRefusal,
    ::testing::Values(
        Refusal{"", "m.yaml"}, Refusal{"[1, 2]", "m.yaml:1:1: expected a machine"},
        Refusal{"processors: [", "m.yaml:"}, Refusal{"costs: {}", "'processors' is missing"},
        Refusal{"processors: 0", "m.yaml:1:13: '0': expected a whole number"},
        Refusal{"processors: 2\nprocessors: 3", "m.yaml:2:1: the key 'processors' is already at m.yaml:1:1"},
        Refusal{"processors: 2\nspeeds: [1, -1]", "m.yaml:1:1: processor 1 has speed -1"},
        Refusal{"core_types: {}", "m.yaml:1:13: expected types of cores such as {big: 4, little: 16}"},
        Refusal{"core_types: 4", "m.yaml:1:13: expected types of cores such as {big: 4, little: 16}"},
        Refusal{"core_types: {big: 0}", "m.yaml:1:19: '0': expected a whole number"},
        Refusal{"core_types: {big: {count: 4}}", "m.yaml:1:20: unknown key of a type of core 'count'"},
        Refusal{"core_types: {big: {speed: 4}}", "m.yaml:1:19: a type of core needs its number"},
        Refusal{"processors: 2\ncore_types: {big: 2}", "m.yaml:2:13: expected a list with the type"},
        Refusal{"processors: 2\ncore_types: [big]", "m.yaml:2:13: 'core_types' has 1 entries"},
        Refusal{"clusters: [{name: a, processors: 2}]\ncore_types: {big: 2}",
                "m.yaml:2:13: 'core_types' needs"},
        Refusal{"processors: 2\ncosts: {}", "m.yaml:2:8: the costs lack 'cluster'"},
        Refusal{"processors: 3\nnodes: [0, 0, 1]\ncosts: {cluster: {latency: 1}}", "the costs lack 'node'"},
        Refusal{"processors: 2\nnodes: [0, 1]\ncosts: {node: {latency: 1}}", "the costs lack 'cluster'"},
        Refusal{"processors: 2\nspeeds: 3", "m.yaml:2:9: 'speeds': expected a list"},
        Refusal{"processors: 2\ncosts: {all: {gap: [{from: 4, cost: 1}]}}", "the first from 0"},
        Refusal{"processors: 2\ncosts: {all: {gap: [{cost: 1}]}}", "m.yaml:2:21: expected a segment"},
        Refusal{"processors: 2\ncosts: {all: 4}", "m.yaml:2:14: expected a mapping"},
        Refusal{"processors: 2\ncosts: {pairs: 3}", "m.yaml:2:16: 'pairs': expected a list of pairs such as"},
        Refusal{"processors: 2\ncosts: {pairs: [4]}", "m.yaml:2:17: expected a pair such as {between"},
        Refusal{"processors: 2\ncosts: {pairs: [{latency: 1}]}", "m.yaml:2:17: expected a pair such as"},
        Refusal{"processors: 2\ncosts: {pairs: [{between: [0, 1, 2]}]}", "m.yaml:2:17: expected a pair"},
        Refusal{"processors: 2\ncosts: {pairs: [{between: [0, 1], from: 0}]}", "2:17: expected a pair such"},
        Refusal{"processors: 2\ncosts: {pairs: [{betwen: [0, 1]}]}", "did you mean 'between'?"},
        Refusal{"processors: 2\ncosts: {pairs: [{from: 0, to: 1, latncy: 3}]}",
                "m.yaml:2:34: unknown key of a pair's costs 'latncy'; did you mean 'latency'?"},
        Refusal{"processors: 2\ncosts: {pairs: [{from: 0, to: 2}]}",
                "m.yaml:2:31: there is no processor 2: the machine has 2"},
        Refusal{"processors: 2\ncosts: {pairs: [{from: one, to: 2}]}",
                "m.yaml:2:24: 'one': expected a whole"},
        Refusal{"processors: 2\ncosts: {pairs: [{from: 1, to: 1}]}", "two different processors"},
        Refusal{"processors: 2\ncosts: {pairs: [{from: 0, to: 1, gap: -2}]}", "send_gap is below 0"},
        Refusal{"processors: 2\ncosts:\n  pairs:\n    - {between: [0, 1]}\n    - {from: 1, to: 0}",
                "m.yaml:5:7: the costs from processor 1 to 0 are given twice: first in line 4"},
        Refusal{"processors: 2\nnetwork: {topology: ring:2, circuits: 3}", "m.yaml:2:39: "},
        Refusal{"processors: 2\nnetwork: ring", "m.yaml:2:10: 'network': expected {topology"},
        Refusal{"processors: 2\nnetwork: {topology: rign:2}", "m.yaml:2:21: unknown network 'rign'"},
        Refusal{"processors: 2\nnetwork: {nodes: 2, links: [{from: 0, to: 2, cost: 1}]}",
                "m.yaml:2:43: there is no node 2: the network has 2"},
        Refusal{"processors: 2\nnetwork: {nodes: 2, links: [{from: 0}]}", "m.yaml:2:29: expected a link"},
        Refusal{"processors: 2\nnetwork: {topology: ring:2, link: -1}", "must not be negative"},
        Refusal{"processors: 2\nnetwork: {nodes: 2, switches: 2, links: []}",
                "m.yaml:2:31: there are 2 switches among 2 nodes: expected fewer"},
        Refusal{"processors: 2\nnetwork: {nodes: 2, switchs: 1, links: []}",
                "m.yaml:2:21: unknown key of a network 'switchs'; did you mean 'switches'?"},
        Refusal{"processors: 3\nnetwork: {topology: switch:2}", "node 2 of the network is a switch"},
        Refusal{"processors: 3\nnetwork: {topology: ring:2}",
                "node 2 is not in the network, which has 2 nodes"},
        Refusal{"processors: 2\nnodes: [0, 0]\nclusters: []", "m.yaml:1:1: node 0 has no cluster"}));

TEST(MachineYaml, uses_the_named_or_the_requested_profile) {
  const std::string text = R"(
processors: 2
profile: verify
profiles:
  predict: {all: {latency: 300}}
  verify: {all: {latency: 400}}
calibration: {verdict: accepted}
)";
  EXPECT_EQ(machine_from_yaml(text, "m").latency(p1, p2, Bytes{1}), Time{400});
  EXPECT_EQ(machine_from_yaml(text, "m", "predict").latency(p1, p2, Bytes{1}), Time{300});
  EXPECT_THAT([&] { (void)machine_from_yaml(text, "m", "predickt"); },
              ThrowsMessage<ConfigError>(HasSubstr("did you mean 'predict'")));
  EXPECT_EQ(machine_from_yaml("processors: 2\nprofiles: {a: {all: {latency: 7}}, b: {all: {}}}", "m")
                .latency(p1, p2, Bytes{1}),
            Time{7});
}

TEST(MachineYaml, refuses_profiles_that_are_ambiguous) {
  EXPECT_THAT([] { (void)machine_from_yaml("processors: 2\ncosts: {}\nprofiles: {a: {}}", "m"); },
              ThrowsMessage<ConfigError>(HasSubstr("m:2:8: 'costs' and 'profiles' exclude each other")));
  EXPECT_THAT([] { (void)machine_from_yaml("processors: 2\nprofile: a\ncosts: {}", "m"); },
              ThrowsMessage<ConfigError>(HasSubstr("there are no 'profiles'")));
  EXPECT_THAT([] { (void)machine_from_yaml("processors: 2", "m", "verify"); },
              ThrowsMessage<ConfigError>(HasSubstr("there is no profile 'verify'")));
}

TEST(MachineYaml, refuses_documents_that_expand_without_limit) {
  std::string bomb = "a: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (char level = '1'; level < '9'; ++level) {
    bomb += std::string(1, level) + ": &a" + level + " [";
    for (int k = 0; k < 10; ++k)
      bomb.append("*a").append(1, static_cast<char>(level - 1)).append(k < 9 ? ", " : "]\n");
  }
  EXPECT_THAT([&] { (void)machine_from_yaml(bomb + "processors: 2\n", "m"); },
              ThrowsMessage<ConfigError>(HasSubstr("with aliases expanded")));
  EXPECT_THAT([] { (void)machine_from_yaml("processors: 2\n---\nprocessors: 3\n", "m"); },
              ThrowsMessage<ConfigError>(HasSubstr("m:2:1: a second document begins here: expected one")));
}

}  // namespace machine_yaml_test
}  // namespace takt::logp
