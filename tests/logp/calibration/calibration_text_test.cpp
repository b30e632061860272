/// Is the output of a calibration a valid machine, and are ranks grouped by location?

#include "logp/calibration/calibration_text.hpp"

#include <gmock/gmock.h>

#include "logp/calibration/refine.hpp"
#include "logp/machine_yaml.hpp"
#include "tests/logp/calibration/synthetic_link.hpp"

namespace takt::logp {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

RankLocation on(const std::string& host, const std::string& place) {
  return {.host = host,
          .computer = host,
          .path = place,
          .bound_by = "takt",
          .processor = "CPU \"X\"",
          .system = "Linux"};
}

TEST(LinkKinds, are_what_two_ranks_share) {
  const std::vector<LinkKind> kinds = find_link_kinds(
      {on("a", "Machine#0 Package#0 L2#0 Core#0"), on("a", "Machine#0 Package#0 L2#0 Core#1"),
       on("a", "Machine#0 Package#1 L2#3 Core#10"), on("b", "Machine#0 Package#0 L2#0 Core#0")});
  ASSERT_THAT(kinds, SizeIs(3));
  EXPECT_EQ(name_of(kinds[0]), "node (L2)");
  EXPECT_THAT(kinds[0].ranks, ElementsAre(0, 1));
  EXPECT_EQ(name_of(kinds[1]), "node (Machine)");
  EXPECT_THAT(kinds[1].ranks, ElementsAre(0, 2));
  EXPECT_EQ(name_of(kinds[2]), "cluster");
  EXPECT_THAT(kinds[2].ranks, ElementsAre(0, 3));
}

TEST(LinkKinds, include_more_ranks_for_a_fan_in_on_separate_cores) {
  const std::vector<LinkKind> kinds =
      find_link_kinds({on("a", "Machine#0 Core#0"), on("a", "Machine#0 Core#1"), on("a", "Machine#0 Core#2"),
                       on("a", "Machine#0 Core#1"), on("a", "Machine#0 Core#10")});
  ASSERT_THAT(kinds, SizeIs(1));
  EXPECT_THAT(kinds[0].ranks, ElementsAre(0, 1, 2, 4));
  EXPECT_FALSE(kinds[0].on_one_core);
}

TEST(LinkKinds, share_one_core_only_without_an_alternative) {
  const RankLocation core = on("a", "Machine#0 Core#0");
  const std::vector<LinkKind> kinds = find_link_kinds({core, core});
  ASSERT_THAT(kinds, SizeIs(1));
  EXPECT_TRUE(kinds[0].on_one_core);
}

TEST(LinkKinds, recognise_two_hosts_on_one_computer) {
  RankLocation a = on("a", "Machine#0 Core#0"), b = on("b", "Machine#0 Core#0"),
               c = on("c", "Machine#0 Core#1");
  a.computer = b.computer = c.computer = "the same";
  const std::vector<LinkKind> shared = find_link_kinds({a, b});
  ASSERT_THAT(shared, SizeIs(1));
  EXPECT_TRUE(shared[0].on_one_core);
  const std::vector<LinkKind> kinds = find_link_kinds({a, b, c});
  ASSERT_THAT(kinds, SizeIs(1));
  EXPECT_THAT(kinds[0].ranks, ElementsAre(0, 2));
  EXPECT_FALSE(kinds[0].on_one_core);
}

TEST(Platform, puts_hosts_of_one_domain_into_one_cluster) {
  const Platform platform =
      platform_of({on("n1.x.org", ""), on("n2.x.org", ""), on("n1.x.org", ""), on("m1.y.org", "")});
  EXPECT_THAT(platform.node_of, ElementsAre(0, 1, 0, 2));
  EXPECT_THAT(platform.cluster_of_node, ElementsAre(0, 0, 1));
  EXPECT_EQ(platform.level(ProcessorId(0), ProcessorId(2)), Level::node);
  EXPECT_EQ(platform.level(ProcessorId(0), ProcessorId(1)), Level::cluster);
  EXPECT_EQ(platform.level(ProcessorId(0), ProcessorId(3)), Level::wide);
}

/// Two ranks on one node and one on another one, over synthetic links.
Calibration make_calibration() {
  Calibration calibration;
  calibration.ranks = {on("a", "Machine#0 L3#0 Core#0"), on("a", "Machine#0 L3#0 Core#1"),
                       on("b", "Machine#0 L3#0 Core#0")};
  calibration.platform = platform_of(calibration.ranks);
  calibration.mpi = {"Open MPI v4.1.4, MPI 3.1", "single", "spins", {"OMPI_MCA_btl=\"tcp\""}};
  calibration.tolerance = 0.25;
  Random random(1);
  for (const LinkKind& kind : find_link_kinds(calibration.ranks)) {
    test::SyntheticLink link = test::shared_memory_link();
    if (kind.level == Level::cluster)
      link.round_trip = [old = link.round_trip](double size) { return 20'000 + 10 * old(size); };
    calibration.links.push_back(
        {.kind = kind,
         .fit = fit_link(test::observe(link, powers_of_two(Bytes{1 << 20}), 10, {}, random)),
         .trials = {
             {.kind = "replay", .what = "a: \"b\"", .predicted = 1000, .measured = 990, .visits = 9}}});
  }
  return calibration;
}

TEST(CalibrationFile, is_a_machine_in_two_profiles) {
  const Calibration calibration = make_calibration();
  EXPECT_THAT(calibration.objections(), IsEmpty());
  const std::string text = to_yaml(calibration);
  EXPECT_EQ(machine_from_yaml(text, "m"),
            Machine(calibration.platform, calibration.costs(&LinkFit::predict)));
  EXPECT_EQ(machine_from_yaml(text, "m", "verify"),
            Machine(calibration.platform, calibration.costs(&LinkFit::verify)));
  EXPECT_THAT(text, AllOf(HasSubstr("verdict: accepted"), HasSubstr("OMPI_MCA_btl=\\\"tcp\\\"")));
}

TEST(CalibrationFile, lists_the_reasons_for_its_refusal) {
  Calibration calibration = make_calibration();
  calibration.links[1].trials[0].measured = 100'000;
  const std::string text = to_yaml(calibration);
  EXPECT_THAT(text,
              AllOf(HasSubstr("verdict: refused"), HasSubstr("\"cluster: replay of a: \\\"b\\\" took")));
  EXPECT_EQ(machine_from_yaml(text, "m").processor_count(), 3U);
}

TEST(CalibrationText, shows_every_link) {
  EXPECT_THAT(to_text(make_calibration()),
              AllOf(HasSubstr("node (L3)"), HasSubstr("cluster, measured"), HasSubstr("1 MiB"),
                    HasSubstr("or 100 ns and 50 ns"), HasSubstr("1 of 1 within tolerance"),
                    HasSubstr("fan-in     not tried")));
}

TEST(CalibrationText, explains_a_negative_latency_where_it_is_printed) {
  Calibration calibration = make_calibration();
  calibration.links[0].fit.predict.costs.latency = Cost(5, 0);
  calibration.links[1].fit.predict.costs.latency = Cost(5, 0);
  EXPECT_THAT(to_text(calibration), ::testing::Not(HasSubstr("a negative L is correct")));
  calibration.links[1].fit.predict.costs.latency = Cost(-5e3, 0);
  EXPECT_THAT(to_text(calibration), HasSubstr("a negative L is correct"));
}

TEST(Calibration, uses_the_slowest_kind_of_link_for_its_level) {
  Calibration calibration = make_calibration();
  LinkCalibration slower = calibration.links[0];
  slower.kind.shares = "Machine";
  slower.fit.predict.costs.latency = Cost(1e6, 0);
  calibration.links.push_back(slower);
  EXPECT_EQ(calibration.costs(&LinkFit::predict)[static_cast<std::size_t>(Level::node)],
            slower.fit.predict.costs);
}

}  // namespace
}  // namespace takt::logp
