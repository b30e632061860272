/// SimGrid's platform files as machines.

#include "logp/simgrid_platform.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "logp/machine_yaml.hpp"

namespace takt::logp {
namespace {

constexpr const char* two_clusters = R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "simgrid.dtd">
<!-- two of them -->
<platform version="4">
  <zone id="world" routing="Full">
    <cluster id="a" prefix="a-" suffix=".me" radical="0-3" speed="2Gf" bw="1Gbps" lat="50us" bb_bw="2.25GBps" bb_lat="500us"/>
    <cluster id="b" prefix="b-" suffix=".me" radical="0-1,7" power="1000000000" bw="125000000" lat="1E-4" core="2"/>
    <link id="line" bandwidth="10Gbps" latency="5ms"/>
    <zoneRoute src="a" dst="b" gw_src="r" gw_dst="s"><link_ctn id="line"/></zoneRoute>
  </zone>
</platform>
)";

std::string platform_error(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  try {
    (void)machine_from_simgrid(text, "p.xml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(SimgridPlatform, becomes_a_machine_of_clusters) {
  const Machine machine = machine_from_simgrid(two_clusters, "p.xml");
  ASSERT_EQ(machine.processor_count(), 4 + 3 * 2);
  EXPECT_EQ(machine.platform().speeds[0], 2);
  EXPECT_EQ(machine.platform().cluster(ProcessorId(9)), 1);
  const LinkCosts& inner = machine.costs(ProcessorId(0), ProcessorId(3));
  // 2 x 50 us + 500 us; 1 Gbit/s are 8 ns a byte.
  EXPECT_EQ(inner.latency, Cost(600'000, 8));
  EXPECT_EQ(inner.backbone, Cost(0, 1 / 2.25));
  const LinkCosts& outer = machine.costs(ProcessorId(9), ProcessorId(3));
  EXPECT_EQ(outer.latency, Cost(50'000 + 100'000 + 5'000'000, 8));
  EXPECT_EQ(outer.backbone, Cost(0, 0.8));
  EXPECT_EQ(outer, machine.costs(ProcessorId(3), ProcessorId(9)));
  // Communication between cores of a node is free.
  EXPECT_EQ(machine.costs(ProcessorId(4), ProcessorId(5)), LinkCosts{});
  EXPECT_EQ(machine_from_yaml(to_yaml(machine), "again.yaml"), machine);
}

TEST(SimgridPlatform, that_is_wrong_is_refused_with_its_position) {
  using ::testing::AllOf, ::testing::HasSubstr;
  EXPECT_THAT(platform_error(two_clusters, "2Gf", "fast"), AllOf(HasSubstr("p.xml:6:"), HasSubstr("3.4Gf")));
  EXPECT_THAT(platform_error(two_clusters, "0-1,7", "1-0"),
              AllOf(HasSubstr("p.xml:7:"), HasSubstr("radical")));
  EXPECT_THAT(platform_error(two_clusters, "link_ctn id=\"line\"", "link_ctn id=\"lin\""),
              HasSubstr("'line'"));
  EXPECT_THAT(platform_error(two_clusters, "dst=\"b\"", "dst=\"c\""), HasSubstr("no route"));
  EXPECT_THAT(platform_error(two_clusters, "id=\"b\"", "id=\"a\""), HasSubstr("two clusters"));
  EXPECT_THAT(platform_error(two_clusters, " bw=\"1Gbps\"", ""), HasSubstr("lacks 'bw'"));
  EXPECT_THAT(platform_error(two_clusters, "</zone>", "</AS>"),
              HasSubstr("p.xml:10:3: </AS> ends <zone> of line 5"));
  EXPECT_THAT(platform_error(two_clusters, "</platform>", ""), HasSubstr("<platform> is not closed"));
  EXPECT_THAT(platform_error(two_clusters, "lat=\"50us\"", "lat=\"50us\" lat=\"1\""), HasSubstr("twice"));
  EXPECT_THAT(platform_error("<platform><host id=\"h\"/></platform>", "id", "id"),
              HasSubstr("only hosts of a <cluster>"));
  EXPECT_THAT(platform_error("<platform/>", "/", "/"), HasSubstr("no <cluster>"));
}

}  // namespace
}  // namespace takt::logp
