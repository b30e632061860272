/// Times of redistributions, by hand and byte by byte; and machines of named clusters.

#include "logp/redistribution.hpp"

#include <map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/random.hpp"
#include "logp/machine_yaml.hpp"

namespace takt::logp {
namespace {

std::vector<ProcessorId> group_of(std::initializer_list<std::size_t> numbers) {
  std::vector<ProcessorId> group;
  for (std::size_t number : numbers) group.emplace_back(number);
  return group;
}

constexpr const char* two_sites = R"(
clusters: [{name: here, processors: 4}, {name: there, processors: 4, speed: 2}]
costs:
  node: {}
  cluster: {latency: 100 + 1, gap: 0 + 1}
  wide: {latency: 1000 + 1, gap: 0 + 1}
  cluster_pairs: [{between: [here, there], backbone: 0 + 2}]
)";

TEST(Redistribution, takes_the_time_of_the_slowest_port) {
  const Machine machine = machine_from_yaml(two_sites, "m.yaml");
  // A processor to another one: a message.
  EXPECT_EQ(redistribution_time(machine, group_of({0}), group_of({1}), Bytes{80}), Time(180));
  // One to four: 4 messages of 20 in sequence, the last one arrives 100 later.
  EXPECT_EQ(redistribution_time(machine, group_of({0}), group_of({1, 2, 3}), Bytes{60}), Time(160));
  // No data move within the same group.
  EXPECT_EQ(redistribution_time(machine, group_of({0, 1}), group_of({0, 1}), Bytes{80}), Time(0));
  // 0 keeps 20 of its 40 and sends 20 to 1, which sends its own 40 to 2 and 3, in sequence.
  EXPECT_EQ(redistribution_time(machine, group_of({0, 1}), group_of({0, 1, 2, 3}), Bytes{80}), Time(140));
  // Two to two between the sites: ports take 1040, the backbone 1000 + 2 * 80.
  EXPECT_EQ(redistribution_time(machine, group_of({0, 1}), group_of({4, 5}), Bytes{80}), Time(1160));
  // Empty data still signal the end of their task.
  EXPECT_EQ(redistribution_time(machine, group_of({0}), group_of({1}), Bytes{0}), Time(100));
  // Fewer bytes than processors: three of them have one each.
  EXPECT_EQ(redistribution_time(machine, group_of({0, 1, 2}), group_of({3}), Bytes{2}), Time(102));
}

TEST(Redistribution, equals_the_sum_over_its_bytes) {
  Random random(1);
  const Machine machine = machine_from_yaml(two_sites, "m.yaml");
  for (int round = 0; round < 300; ++round) {
    const auto some = [&](std::size_t first) {
      std::vector<ProcessorId> group;
      for (std::size_t p = first; p < first + 4; ++p)
        if (random.below(2) == 0 || (group.empty() && p == first + 3)) group.emplace_back(p);
      return group;
    };
    const std::vector<ProcessorId> from = some(0), to = some(4 * random.below(2));
    const std::uint64_t size = 1 + random.below(60);
    const auto holder = [&](const std::vector<ProcessorId>& group, std::uint64_t byte) {
      std::size_t block = 0;
      while ((block + 1) * size / group.size() <= byte) ++block;
      return group[block];
    };
    std::map<ProcessorId, std::uint64_t> sent, received;
    std::uint64_t all = 0;
    for (std::uint64_t byte = 0; byte < size; ++byte) {
      const ProcessorId p = holder(from, byte), q = holder(to, byte);
      if (p == q) continue;
      ++sent[p];
      ++received[q];
      ++all;
    }
    // A port transfers one byte per tick; the latency counts once.
    Time expected{0};
    const bool is_far = to.front().index() >= 4;
    const Time latency{is_far ? 1000 : 100};
    for (const auto& side : {sent, received})
      for (const auto& [p, bytes] : side) expected = std::max(expected, latency + Time(bytes));
    if (is_far) expected = std::max(expected, latency + Time(2 * all));
    EXPECT_EQ(redistribution_time(machine, from, to, Bytes{size}), expected);
  }
}

TEST(Redistribution, is_estimated_exactly_if_one_group_divides_the_other) {
  const Machine machine = machine_from_yaml(two_sites, "m.yaml");
  const LinkCosts& far = machine.costs(ProcessorId(0), ProcessorId(4));
  const auto left = group_of({0, 1}), right = group_of({4, 5, 6, 7});
  EXPECT_EQ(estimated_redistribution(far, 2, 4, Bytes{800}),
            static_cast<double>(redistribution_time(machine, left, right, Bytes{800}).count()));
  EXPECT_EQ(estimated_redistribution(far, 4, 2, Bytes{800}),
            static_cast<double>(redistribution_time(machine, right, left, Bytes{800}).count()));
}

TEST(Clusters, have_names_speeds_and_costs_by_pair) {
  const Machine machine = machine_from_yaml(two_sites, "m.yaml");
  ASSERT_EQ(machine.processor_count(), 8);
  EXPECT_EQ(machine.platform().speeds[5], 2);
  EXPECT_EQ(machine.costs(ProcessorId(0), ProcessorId(7)).backbone, Cost(0, 2));
  EXPECT_EQ(machine.costs(ProcessorId(0), ProcessorId(1)).backbone, Cost());
  EXPECT_EQ(machine.latency(ProcessorId(7), ProcessorId(0), Bytes{1}), Time(1001));
  const std::string text = to_yaml(machine);
  EXPECT_THAT(text, ::testing::HasSubstr("{name: there, processors: 4, speed: 2}"));
  EXPECT_EQ(machine_from_yaml(text, "again.yaml"), machine);
  // A part of it is no longer a row of whole clusters.
  const Machine part = machine.subset(group_of({6, 1, 0}));
  EXPECT_EQ(part.costs(ProcessorId(0), ProcessorId(2)).backbone, Cost(0, 2));
  EXPECT_EQ(machine_from_yaml(to_yaml(part), "part.yaml"), part);
  EXPECT_EQ(machine.grown(10).costs(ProcessorId(9), ProcessorId(4)).backbone, Cost(0, 2));
}

TEST(Clusters, that_are_wrong_are_refused_with_their_position) {
  const auto error_of = [](const std::string& text) {
    try {
      (void)machine_from_yaml(text, "m.yaml");
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const std::string clusters = "clusters: [{name: lille, processors: 2}, {name: lyon, processors: 1}]\n";
  const auto pairs = [&](const std::string& entry) {
    return error_of(clusters + "costs:\n  all: {}\n  cluster_pairs: [" + entry + "]\n");
  };
  EXPECT_THAT(pairs("{between: [lile, lyon], gap: 1}"), ::testing::HasSubstr("m.yaml:4:30"));
  EXPECT_THAT(pairs("{between: [lile, lyon], gap: 1}"), ::testing::HasSubstr("'lille'"));
  EXPECT_THAT(pairs("{between: [0, 2], gap: 1}"), ::testing::HasSubstr("no cluster 2"));
  EXPECT_THAT(pairs("{from: 0, gap: 1}"), ::testing::HasSubstr("expected a pair of clusters"));
  EXPECT_THAT(pairs("{between: [0, 1], gap: 1}, {from: lyon, to: lille, gap: 2}"),
              ::testing::HasSubstr("are given twice"));
  EXPECT_THAT(error_of("clusters: [{name: a, processors: 0}]\ncosts: {all: {}}\n"),
              ::testing::HasSubstr("m.yaml:1:34"));
  EXPECT_THAT(error_of("clusters: [{name: a, processors: 1}, {name: a, processors: 1}]\ncosts: {all: {}}\n"),
              ::testing::HasSubstr("two clusters have the name 'a'"));
  EXPECT_THAT(error_of("processors: 2\nclusters: [0, 1]\ncluster_names: [a]\ncosts: {all: {}}\n"),
              ::testing::HasSubstr("one for each of the 2 clusters"));
  EXPECT_THAT(error_of("processors: 2\nclusters: [0, 1]\ncluster_names: [a, a]\ncosts: {all: {}}\n"),
              ::testing::HasSubstr("two clusters have the name 'a'"));
  EXPECT_THAT(error_of("clusters: [{name: a}]\ncosts: {all: {}}\n"), ::testing::HasSubstr("needs a 'name'"));
}

}  // namespace
}  // namespace takt::logp
