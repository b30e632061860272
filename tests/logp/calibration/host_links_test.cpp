/// Are pairs of hosts with similar links found?

#include "logp/calibration/host_links.hpp"

#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/random.hpp"
#include "logp/calibration/hold_out.hpp"
#include "logp/machine_yaml.hpp"

namespace takt::logp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<RankLocation> ranks_on(const std::vector<std::string>& hosts) {
  std::vector<RankLocation> ranks;
  for (const std::string& host : hosts) ranks.push_back({.host = host, .computer = host});
  return ranks;
}

LinkCosts costs_of(double latency, double per_byte) {
  return {.latency = Cost{latency, per_byte},
          .send_overhead = Cost{1000, 0},
          .receive_overhead = Cost{1000, 0},
          .send_gap = Cost{1000, per_byte},
          .receive_gap = Cost{1000, per_byte}};
}

TEST(HostPairs, are_all_pairs_of_hosts_by_their_first_ranks) {
  EXPECT_THAT(host_pairs(ranks_on({"a", "a", "b"})), IsEmpty()) << "one pair is its level";
  EXPECT_THAT(host_pairs(ranks_on({"a", "a", "b", "c.x", "b"})),
              ElementsAre(HostPair{Level::cluster, {0, 2}}, HostPair{Level::wide, {0, 3}},
                          HostPair{Level::wide, {2, 3}}));
  std::vector<std::string> many;
  for (int i = 0; i < 9; ++i) many.push_back(fmt::format("h{}", i));
  EXPECT_THAT(host_pairs(ranks_on(many)), IsEmpty()) << "36 take too long";
  many.pop_back();
  EXPECT_THAT(host_pairs(ranks_on(many)), SizeIs(28));
}

TEST(LinkClasses, assign_similar_pairs_to_their_level) {
  const std::vector<HostPair> pairs = host_pairs(ranks_on({"a", "b", "c", "d"}));
  std::vector<MeasuredPair> measured;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    measured.push_back({pairs[i], costs_of(20'000 + 1000.0 * static_cast<double>(i), 1)});
  const std::vector<LinkClass> classes = classify(measured);
  ASSERT_THAT(classes, SizeIs(1));
  EXPECT_TRUE(classes[0].is_of_level);
  EXPECT_THAT(classes[0].members, SizeIs(6));
}

TEST(CoreTypes, are_those_of_hwloc_or_numbered) {
  std::vector<RankLocation> ranks = ranks_on({"a", "a", "b"});
  EXPECT_THAT(platform_of(ranks).core_types, IsEmpty()) << "all alike";
  ranks[1].core_type = "IntelAtom";
  EXPECT_THAT(platform_of(ranks).core_types, ElementsAre("type-1", "type-2"));
  ranks[0].core_type = ranks[2].core_type = "IntelCore";
  EXPECT_THAT(platform_of(ranks).core_types, ElementsAre("IntelCore", "IntelAtom"));
  EXPECT_THAT(platform_of(ranks).type_of, ElementsAre(0, 1, 0));
  ranks[2].processor = "another processor with cores of one name";
  EXPECT_THAT(platform_of(ranks).core_types, ElementsAre("type-1", "type-2", "type-3"));
}

TEST(LinkClasses, separate_the_pairs_of_a_slow_link) {
  // d is connected by a link of a tenth of the bandwidth.
  const std::vector<RankLocation> ranks = ranks_on({"a", "a", "b", "c", "d"});
  std::vector<MeasuredPair> measured;
  for (const HostPair& pair : host_pairs(ranks))
    measured.push_back({pair, costs_of(20'000, pair.ranks[1] == 4 ? 10 : 1)});
  // Three pairs each: the slower class is the level's, which keeps predictions conservative.
  const std::vector<LinkClass> classes = classify(measured);
  ASSERT_THAT(classes, SizeIs(2));
  EXPECT_TRUE(classes[0].is_of_level);
  for (const std::size_t i : classes[0].members) EXPECT_EQ(measured[i].pair.ranks[1], 4);
  EXPECT_FALSE(classes[1].is_of_level);
  // Both ranks of a have the costs of a's link, in both directions.
  const Platform platform = platform_of(ranks);
  const std::vector<PairCosts> pairs = costs_between({Level::cluster, {0, 2}}, costs_of(1, 1), platform);
  std::set<std::pair<std::size_t, std::size_t>> ends;
  for (const PairCosts& pair : pairs) ends.emplace(pair.from.index(), pair.to.index());
  EXPECT_EQ(ends, (std::set<std::pair<std::size_t, std::size_t>>{{0, 2}, {1, 2}, {2, 0}, {2, 1}}));
}

TEST(LinkClasses, contain_every_pair_once_and_only_similar_pairs) {
  Random random(2);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<std::string> hosts;
    for (std::uint64_t i = 0; i < 3 + random.below(6); ++i)
      hosts.push_back(fmt::format("h{}{}", i, random.below(3) == 0 ? ".far" : ""));
    std::vector<MeasuredPair> measured;
    for (const HostPair& pair : host_pairs(ranks_on(hosts)))
      measured.push_back({pair, costs_of(1000.0 * static_cast<double>(1 + random.below(100)),
                                         static_cast<double>(1 + random.below(10)))});
    std::multiset<std::size_t> all;
    std::multiset<Level> of_levels;
    for (const LinkClass& each : classify(measured)) {
      if (each.is_of_level) of_levels.insert(each.level);
      for (const Bytes size : {Bytes{64}, Bytes{65536}}) {
        double least = 1e300, most = 0;
        for (const std::size_t member : each.members) {
          const double time = lone_message_time(measured[member].costs, size);
          least = std::min(least, time);
          most = std::max(most, time);
        }
        // Within `alike` of the fastest by large messages, in either direction for small ones.
        EXPECT_LE(most, alike * alike * least * 1.0001);
      }
      for (const std::size_t member : each.members) {
        EXPECT_EQ(measured[member].pair.level, each.level);
        all.insert(member);
      }
    }
    EXPECT_EQ(all.size(), measured.size());
    EXPECT_EQ(std::set<std::size_t>(all.begin(), all.end()).size(), measured.size());
    EXPECT_EQ(std::set<Level>(of_levels.begin(), of_levels.end()).size(), of_levels.size()) << "one a level";
  }
}

TEST(MachineFile, of_a_calibration_keeps_the_costs_of_pairs_by_profile) {
  const Platform platform = platform_of(ranks_on({"a", "b", "c"}));
  std::array<LinkCosts, level_count> levels;
  levels.fill(costs_of(20'000, 1));
  const std::vector<PairCosts> slow = costs_between({Level::cluster, {0, 2}}, costs_of(90'000, 5), platform),
                               slower =
                                   costs_between({Level::cluster, {0, 2}}, costs_of(99'000, 6), platform);
  const std::string text =
      to_yaml(platform, std::vector<CostProfile>{{"predict", levels, slow}, {"verify", levels, slower}});
  EXPECT_EQ(machine_from_yaml(text, "m.yaml"), Machine(platform, levels, slow)) << text;
  EXPECT_EQ(machine_from_yaml(text, "m.yaml", "verify"), Machine(platform, levels, slower)) << text;
}

}  // namespace
}  // namespace takt::logp
