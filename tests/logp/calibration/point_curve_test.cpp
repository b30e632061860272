/// Do the costs of a quick measurement agree with the measurements at every size?

#include "logp/calibration/point_curve.hpp"

#include <gtest/gtest.h>

#include "tests/logp/calibration/synthetic_link.hpp"

namespace takt::logp::test {
namespace {

/// Few visits to the powers of two up to a megabyte, as at the start of a run.
LinkObservations few_visits(const SyntheticLink& link, const Noise& noise, std::uint64_t seed) {
  Random random(seed);
  std::vector<Bytes> sizes;
  for (std::uint64_t size = 1; size <= 1 << 20; size *= 2) sizes.push_back(Bytes{size});
  return observe(link, sizes, 2, noise, random);
}

/// Messages that fit into a cache cost little per byte, larger ones ten times as much.
SyntheticLink beyond_a_cache() {
  return {.round_trip = stepped(800, 0.06, 131072, -20000, 0.22),
          .send_overhead = stepped(50, 0.002, 131072, 50, 0.002),
          .receive_overhead = stepped(250, 0.01, 131072, -12000, 0.105),
          .gap = stepped(60, 0.01, 131072, -3000, 0.034)};
}

TEST(PointCurve, goes_through_quiet_points) {
  const SyntheticLink link = beyond_a_cache();
  const LinkCosts costs = join_points(few_visits(link, {0, 0, 0, 0}, 1));
  for (std::uint64_t size = 1; size <= 1 << 20; size *= 2) {
    const auto x = static_cast<double>(size);
    const auto near = [&](const Cost& cost, double truth) {
      EXPECT_NEAR(static_cast<double>(cost.at(Bytes{size}).count()), truth, std::max(21.0, 0.11 * truth))
          << size << " bytes";
    };
    near(costs.send_overhead, link.send_overhead(x));
    near(costs.receive_overhead, link.receive_overhead(x));
    near(costs.send_gap, link.gap(x));
    const double whole =
        static_cast<double>((costs.latency.at(Bytes{size}) + costs.send_overhead.at(Bytes{size}) +
                             costs.receive_overhead.at(Bytes{size}))
                                .count());
    EXPECT_NEAR(whole, link.lone_message(x), std::max(80.0, 0.3 * link.lone_message(x))) << size << " bytes";
  }
  // Beyond the measured sizes the last line continues.
  EXPECT_NEAR(static_cast<double>(costs.receive_overhead.at(Bytes{8 << 20}).count()),
              link.receive_overhead(8 << 20), 0.1 * link.receive_overhead(8 << 20));
}

class NoisyPoints : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(NoisyPoints, never_fall_with_the_size_and_are_accurate_at_a_megabyte) {
  const SyntheticLink link = beyond_a_cache();
  const LinkCosts costs = join_points(few_visits(link, {}, GetParam()));
  for (const Cost* cost : {&costs.send_overhead, &costs.receive_overhead, &costs.send_gap}) {
    Time last{0};
    for (std::uint64_t size = 1; size <= 4 << 20; size += size / 3 + 1) {
      // Rounding of segments may subtract a nanosecond or two.
      EXPECT_GE(cost->at(Bytes{size}) + Time{2}, last) << size << " bytes";
      last = cost->at(Bytes{size});
    }
  }
  EXPECT_NEAR(static_cast<double>(costs.receive_overhead.at(Bytes{1 << 20}).count()),
              link.receive_overhead(1 << 20), 0.25 * link.receive_overhead(1 << 20));
}

INSTANTIATE_TEST_SUITE_P(Seeds, NoisyPoints, ::testing::Range<std::uint64_t>(1, 21));

TEST(PointCurve, keeps_messages_expensive_beyond_the_measured_sizes) {
  // As between two hardware threads of one core: the smallest costs seen.
  const std::vector<std::array<double, 4>> seen{{140, 10, 11, 34}, {140, 10, 12, 31}, {148, 10, 14, 31},
                                                {150, 10, 19, 32}, {168, 10, 29, 44}, {191, 10, 53, 70}};
  LinkObservations observations;
  std::uint64_t size = 128;
  for (std::size_t i = 0; i < seen.size(); ++i, size *= 2)
    for (std::size_t q = 0; q < quantity_count; ++q)
      observations.at(Bytes{i == 0 ? 0 : size}).visits[q] = {{.quiet = {seen[i][q]}, .disturbed = {}}};
  const LinkCosts costs = join_points(observations);
  EXPECT_EQ(costs.send_overhead.at(Bytes{4096}), Time{10});
  EXPECT_EQ(costs.receive_overhead.at(Bytes{4096}), Time{53});
  for (const std::uint64_t large : {4096, 65536, 1 << 20})
    EXPECT_GT(costs.latency.at(Bytes{large}) + costs.send_overhead.at(Bytes{large}) +
                  costs.receive_overhead.at(Bytes{large}),
              Time{100});
}

}  // namespace
}  // namespace takt::logp::test
