/// Does the command line's text yield the right machine, or a helpful error?

#include "logp/machine.hpp"

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/graphs/generators.hpp"

namespace takt::logp {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr ProcessorId first{0}, second{1};

TEST(MachineText, logp_has_constant_costs) {
  const Machine machine = parse_machine("logp:P=3,L=5,o=2,g=4");
  EXPECT_EQ(machine.processor_count(), 3);
  for (Bytes size : {Bytes{1}, Bytes{1000}}) {
    EXPECT_EQ(machine.latency(first, second, size), Time{5});
    EXPECT_EQ(machine.send_overhead(first, second, size), Time{2});
    EXPECT_EQ(machine.receive_overhead(first, second, size), Time{2});
    EXPECT_EQ(machine.send_gap(first, second, size), Time{4});
    EXPECT_EQ(machine.receive_gap(first, second, size), Time{4});
  }
  EXPECT_EQ(machine, Machine::constant(3, Time{5}, Time{2}, Time{4}));
}

TEST(MachineText, a_message_to_the_same_processor_costs_nothing) {
  const Machine machine = parse_machine("logp:P=3,L=5,o=2,g=4");
  EXPECT_EQ(machine.latency(first, first, Bytes{9}), Time{0});
  EXPECT_EQ(machine.send_overhead(first, first, Bytes{9}), Time{0});
}

TEST(MachineText, loglinear_has_a_constant_and_a_cost_per_unit) {
  const Machine machine = parse_machine("loglinear:P=2,L=1+3,o=1+0.5,g=2+2");
  EXPECT_EQ(machine.latency(first, second, Bytes{10}), Time{31});
  EXPECT_EQ(machine.send_overhead(first, second, Bytes{10}), Time{6});
  EXPECT_EQ(machine.receive_gap(first, second, Bytes{10}), Time{22});
}

TEST(MachineText, delay_is_the_size_in_flight_and_occupies_no_processor) {
  const Machine machine = parse_machine("delay:P=4");
  EXPECT_EQ(machine.latency(first, second, Bytes{17}), Time{17});
  EXPECT_EQ(machine.send_overhead(first, second, Bytes{17}), Time{0});
  EXPECT_EQ(machine.send_gap(first, second, Bytes{17}), Time{0});
  EXPECT_EQ(machine, Machine::delay(4));
}

TEST(MachineText, types_of_cores_are_in_order) {
  const Platform platform = parse_machine("logp:P=3,types=big:1/little:2").platform();
  EXPECT_THAT(platform.core_types, ElementsAre("big", "little"));
  EXPECT_THAT(platform.type_of, ElementsAre(0, 1, 1));
}

TEST(MachineText, speeds_are_one_per_processor) {
  EXPECT_THAT(parse_machine("logp:P=3,speed=1/0.5/2").platform().speeds, ElementsAre(1, 0.5, 2));
  EXPECT_THAT(parse_machine("delay:P=1,speed=3").platform().speeds, ElementsAre(3));
}

TEST(MachineText, a_network_connects_the_processors) {
  const Machine machine = parse_machine("delay:P=4,network=mesh:2x2,link=5+0.5");
  EXPECT_EQ(machine.platform().network, mesh_network(2, 2, {5, 0.5}));
  EXPECT_TRUE(parse_machine("delay:P=4").platform().network.empty());
}

TEST(MachineText, missing_costs_are_zero) {
  EXPECT_TRUE(parse_machine("logp:P=2").communication_is_free());
  EXPECT_FALSE(parse_machine("logp:P=2,L=1").communication_is_free());
}

struct Refusal {
  std::string_view text;
  std::vector<std::string_view> says;
};

class MachineRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(MachineRefusal, names_the_key_and_what_was_expected) {
  for (std::string_view part : GetParam().says)
    EXPECT_THAT([] { (void)parse_machine(GetParam().text); },
                ThrowsMessage<ConfigError>(HasSubstr(std::string(part))));
}

INSTANTIATE_TEST_SUITE_P(
    Texts, MachineRefusal,
    ::testing::Values(Refusal{"lgop:P=3", {"unknown machine 'lgop'", "did you mean 'logp'"}},
                      Refusal{"logp:P=3,l=1", {"unknown key 'l'", "did you mean 'L'"}},
                      Refusal{"logp:L=1", {"key 'P' is missing"}}, Refusal{"logp:", {"expected KEY=VALUE"}},
                      Refusal{"logp:P=0", {"key 'P'", "whole number from 1"}},
                      Refusal{"logp:P=2000000000", {"key 'P'", "to 1000000"}},
                      Refusal{"logp:P=3.5", {"key 'P'", "'3.5'"}},
                      Refusal{"logp:P=3,P=4", {"'P' is given twice"}},
                      Refusal{"logp:P=3,L=x", {"key 'L'", "'x' is not a cost"}},
                      Refusal{"logp:P=3,L=", {"key 'L'", "'' is not a cost"}},
                      Refusal{"logp:P=3,L=-1", {"key 'L'", "not negative"}},
                      Refusal{"logp:P=3,L=1+1", {"key 'L'", "loglinear"}},
                      Refusal{"loglinear:P=3,o=1+", {"key 'o'", "'1+' is not a cost"}},
                      Refusal{"loglinear:P=3,g=nan", {"key 'g'"}},
                      Refusal{"logp:P=3,speed=1/2", {"key 'speed'", "2 speeds for 3 processors"}},
                      Refusal{"logp:P=3,types=big:1/little:1", {"key 'types'", "has 2 processors, P is 3"}},
                      Refusal{"logp:P=3,types=big:1/big:2", {"type 'big' is given twice"}},
                      Refusal{"logp:P=3,types=big", {"expected NAME:NUMBER"}},
                      Refusal{"logp:P=3,types=:3", {"expected NAME:NUMBER"}},
                      Refusal{"logp:P=2,speed=1/0", {"key 'speed'", "above 0"}},
                      Refusal{"logp:P=2,speed=1/", {"key 'speed'", "expected a number"}},
                      Refusal{"delay:P=2,L=1", {"unknown key 'L'"}},
                      Refusal{"delay:P=2,network=rnig:2", {"key 'network'", "did you mean 'ring'"}},
                      Refusal{"delay:P=2,link=1", {"key 'link'", "network=ring:4"}},
                      Refusal{"delay:P=9,network=ring:2", {"node 2 is not in the network"}},
                      Refusal{"logp:P=10,network=fat_tree:2x3",
                              {"node 8 of the network is a switch", "nodes 0 to 7"}},
                      Refusal{"delay:P=9,network=switch:8", {"node 8 of the network is a switch"}},
                      Refusal{"delay:P=9,network=channels:8", {"node 8 of the network is a switch"}},
                      Refusal{"machine.yaml", {"no such file", "logp:P=3,L=1,o=1,g=2"}}));

TEST(MachineDuration, is_work_over_speed_rounded_up) {
  const TaskGraph graph = generate("chain:depth=0,cost=3");
  const Machine machine = parse_machine("logp:P=4,speed=1/2/0.3/4");
  EXPECT_EQ(machine.duration(graph, TaskId(0), ProcessorId(0)), Time{3});
  EXPECT_EQ(machine.duration(graph, TaskId(0), ProcessorId(1)), Time{2});
  // 0.3 has no exact double, yet 3 / 0.3 is 10.
  EXPECT_EQ(machine.duration(graph, TaskId(0), ProcessorId(2)), Time{10});
  EXPECT_EQ(machine.duration(graph, TaskId(0), ProcessorId(3)), Time{1});
}

/// Processors 0 and 1 on one node, 2 on another one; messages from 0 to 2 take longer.
Machine with_a_slow_direction() {
  Platform platform = Platform::uniform(3);
  platform.node_of = {0, 0, 1};
  platform.cluster_of_node = {0, 0};
  const LinkCosts near{{3, 0}, {1, 0}, {1, 0}, {2, 0}, {2, 0}}, far{{30, 0}, {1, 0}, {1, 0}, {2, 0}, {2, 0}};
  LinkCosts slow = far;
  slow.latency = Cost(300, 0);
  return {platform, {LinkCosts{}, near, far, LinkCosts{}}, {{first, ProcessorId(2), slow}}};
}

TEST(MachinePairs, have_their_own_costs_or_else_those_of_their_level) {
  const Machine machine = with_a_slow_direction();
  const ProcessorId third{2};
  EXPECT_EQ(machine.latency(first, second, Bytes{1}), Time{3});
  EXPECT_EQ(machine.latency(first, third, Bytes{1}), Time{300});
  EXPECT_EQ(machine.latency(third, first, Bytes{1}), Time{30});
  EXPECT_EQ(machine.latency(second, third, Bytes{1}), Time{30});
  EXPECT_EQ(machine.latency(first, first, Bytes{1}), Time{0});
}

TEST(MachinePairs, are_counted_by_kind) {
  const Machine machine = with_a_slow_direction();
  std::vector<double> pairs;
  for (const CostKind& kind : machine.kinds()) pairs.push_back(kind.pairs);
  // 0 within a processor, 2 in the node, 3 of 4 between nodes, 0 between clusters, 1 for the pair itself.
  EXPECT_THAT(pairs, ElementsAre(0, 2, 3, 0, 1));
  std::size_t occurring = 0;
  for (const LinkCosts& costs : machine.occurring_costs()) occurring += costs == LinkCosts{} ? 0 : 1;
  EXPECT_EQ(occurring, 3);
}

TEST(MachinePairs, keep_their_costs_in_a_part_of_the_machine_and_in_a_larger_one) {
  const Machine machine = with_a_slow_direction();
  const std::vector<ProcessorId> turned{ProcessorId(2), first};
  EXPECT_EQ(machine.subset(turned).latency(second, first, Bytes{1}), Time{300});
  EXPECT_EQ(machine.subset(turned).latency(first, second, Bytes{1}), Time{30});
  const std::vector<ProcessorId> without{first, second};
  EXPECT_TRUE(machine.subset(without).pair_costs().empty());
  EXPECT_EQ(machine.grown(5).pair_costs(), machine.pair_costs());
  EXPECT_EQ(machine.grown(5).latency(first, ProcessorId(4), Bytes{1}), Time{30});
}

TEST(GrownMachines, have_processors_on_free_nodes_of_their_network_only) {
  const Machine ring = parse_machine("delay:P=3,network=ring:5"),
                tree = parse_machine("delay:P=3,network=fat_tree:2x2");
  EXPECT_EQ(ring.platform().most_grown(), 5U);
  EXPECT_EQ(ring.grown(5).platform().node_of.back(), 4U);
  EXPECT_EQ(tree.platform().most_grown(), 4U);
  EXPECT_EQ(parse_machine("delay:P=4,network=switch:4").platform().most_grown(), 4U);
  EXPECT_GT(parse_machine("delay:P=4").platform().most_grown(), 1'000'000U);
}

TEST(MachinePairs, are_two_different_processors_without_repetition) {
  const Platform platform = Platform::uniform(2);
  auto machine = [&](std::vector<PairCosts> pairs) { (void)Machine(platform, {}, std::move(pairs)); };
  EXPECT_THAT(
      [&] {
        machine({{first, ProcessorId(2), {}}});
      },
      ThrowsMessage<ConfigError>(HasSubstr("there is no processor 2: the machine has 2")));
  EXPECT_THAT(
      [&] {
        machine({{second, second, {}}});
      },
      ThrowsMessage<ConfigError>(HasSubstr("from processor 1 to itself")));
  EXPECT_THAT(
      [&] {
        machine({{first, second, {}}, {second, first, {}}, {first, second, {}}});
      },
      ThrowsMessage<ConfigError>(HasSubstr("from processor 0 to 1 are given twice")));
  EXPECT_THAT(
      [&] {
        machine({{first, second, {.send_gap = Cost(-1, 0)}}});
      },
      ThrowsMessage<ConfigError>(HasSubstr("send_gap is below 0")));
}

TEST(Machine, refuses_an_inconsistent_platform) {
  Platform platform = Platform::uniform(2);
  platform.node_of = {0, 5};
  EXPECT_THAT([&] { (void)Machine(platform, LinkCosts{}); },
              ThrowsMessage<ConfigError>(HasSubstr("node 5 has no cluster")));
  EXPECT_THAT([] { (void)Machine(Platform{}, LinkCosts{}); },
              ThrowsMessage<ConfigError>(HasSubstr("at least one processor")));
}

}  // namespace
}  // namespace takt::logp
