/// Tests that the fault injector does exactly what it counts.

#include "sensors/emulator/fault_injector.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/lofar/codec.hpp"
#include "sensors/transport/udp_sender.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace {

constexpr std::uint64_t packets = 3000;
constexpr std::size_t lanes = 2;

struct Passed {
  std::vector<std::pair<std::size_t, test::Bytes>> datagrams;
  FaultCounts counts;
};

test::Bytes packet_of(std::size_t lane, std::uint64_t number) {
  return test::make_packet(test::small_format(lanes, 1), lane, 1'000'000 + number * 16,
                           test::payload_of(64, lane, number));
}

Passed pass(const Faults& faults, std::uint64_t seed = 5) {
  Passed passed;
  const LofarCodec codec(200'000'000);
  FaultInjector injector(faults, lanes, seed, codec, [&](const LanePacket& packet) {
    passed.datagrams.emplace_back(packet.lane, test::Bytes(packet.bytes.begin(), packet.bytes.end()));
  });
  for (std::uint64_t number = 0; number < packets; ++number)
    for (std::size_t lane = 0; lane < lanes; ++lane) injector.take({lane, packet_of(lane, number)});
  injector.finish();
  passed.counts = injector.counts();
  return passed;
}

/// Numbers of a lane's valid packets in sending order.
std::vector<std::uint64_t> numbers_of(const Passed& passed, std::size_t lane) {
  std::vector<std::uint64_t> numbers;
  for (const auto& [of_lane, bytes] : passed.datagrams) {
    LofarHeader header;
    if (of_lane == lane && judge(bytes, test::small_format(lanes, 1), header) == LofarVerdict::good)
      numbers.push_back((absolute_block(header.second, header.sequence, 200'000'000) - 1'000'000) / 16);
  }
  return numbers;
}

TEST(FaultInjector, passes_everything_on_in_order_without_faults) {
  const Passed passed = pass({});
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::vector<std::uint64_t> numbers = numbers_of(passed, lane);
    ASSERT_EQ(numbers.size(), packets);
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  }
}

TEST(FaultInjector, each_fault_is_counted_exactly_and_has_the_configured_frequency) {
  // 6000 trials with p = 0.1: 600, standard deviation 23.
  const Passed dropped = pass({.drop = 0.1});
  EXPECT_EQ(dropped.datagrams.size(), lanes * packets - dropped.counts.dropped);
  EXPECT_NEAR(static_cast<double>(dropped.counts.dropped), 600, 100);

  const Passed doubled = pass({.duplicate = 0.1});
  EXPECT_EQ(doubled.datagrams.size(), lanes * packets + doubled.counts.duplicated);
  EXPECT_NEAR(static_cast<double>(doubled.counts.duplicated), 600, 100);

  const Passed garbage = pass({.garbage = 0.1});
  EXPECT_EQ(garbage.datagrams.size(), lanes * packets + garbage.counts.garbage);
  EXPECT_EQ(numbers_of(garbage, 0).size(), packets);
  EXPECT_NEAR(static_cast<double>(garbage.counts.garbage), 600, 100);
}

TEST(FaultInjector, delayed_packets_are_at_most_eight_packets_late) {
  const Passed passed = pass({.reorder = 0.2});
  EXPECT_GT(passed.counts.reordered, 1000u);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::vector<std::uint64_t> numbers = numbers_of(passed, lane);
    EXPECT_EQ(std::set(numbers.begin(), numbers.end()).size(), packets);
    std::uint64_t newest = 0;
    std::size_t out_of_order = 0;
    for (const std::uint64_t number : numbers) {
      EXPECT_LE(newest, number + 8);
      out_of_order += number < newest;
      newest = std::max(newest, number);
    }
    EXPECT_GT(out_of_order, 100u);
  }
}

TEST(FaultInjector, corrupted_packets_are_refused_for_the_cause_that_is_counted) {
  const Passed passed = pass({.corrupt = 0.2});
  std::vector<std::uint64_t> refused(lofar_verdict_count);
  for (const auto& [lane, bytes] : passed.datagrams) {
    LofarHeader header;
    ++refused[static_cast<std::size_t>(judge(bytes, test::small_format(lanes, 1), header))];
  }
  // The first verdict is no cause.
  refused.erase(refused.begin());
  EXPECT_EQ(refused, passed.counts.corrupted);
  EXPECT_THAT(refused, testing::Each(testing::Gt(0u)));
}

TEST(FaultInjector, the_first_and_last_packet_of_each_lane_are_spared) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Passed passed = pass({.drop = 0.9, .reorder = 0.5, .corrupt = 0.9}, seed);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::vector<std::uint64_t> numbers = numbers_of(passed, lane);
      EXPECT_EQ(numbers.front(), 0u);
      EXPECT_EQ(numbers.back(), packets - 1);
    }
  }
}

TEST(FaultInjector, equal_seeds_affect_equal_packets) {
  const Faults faults{.drop = 0.1, .duplicate = 0.1, .reorder = 0.1, .corrupt = 0.1, .garbage = 0.1};
  EXPECT_EQ(pass(faults).datagrams, pass(faults).datagrams);
  EXPECT_NE(pass(faults).datagrams, pass(faults, 6).datagrams);
}

TEST(FaultInjector, invalid_probabilities_are_refused) {
  EXPECT_THROW(validate(Faults{.drop = 1.5}), ConfigError);
  EXPECT_THROW(validate(Faults{.garbage = -0.1}), ConfigError);
}

TEST(UdpSender, destinations_are_host_and_port) {
  EXPECT_EQ(parse_destination("127.0.0.1:16130").to_string(), "127.0.0.1:16130");
  EXPECT_EQ(parse_destination("[::1]:7").host, "::1");
  EXPECT_EQ(parse_destination("[::1]:7").to_string(), "[::1]:7");
  for (const char* wrong : {"", "host", ":1", "host:", "host:0", "host:70000", "host:1x"})
    EXPECT_THROW((void)parse_destination(wrong), ConfigError) << wrong;
}

}  // namespace
}  // namespace takt::sensors
