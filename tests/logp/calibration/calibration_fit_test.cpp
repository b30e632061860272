/// Does the fit recover the true costs from noisy measurements, and refuse unreliable ones?

#include <gmock/gmock.h>

#include "logp/calibration/hold_out.hpp"
#include "logp/calibration/link_fit.hpp"
#include "logp/calibration/refine.hpp"
#include "tests/logp/calibration/synthetic_link.hpp"

namespace takt::logp {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

constexpr Bytes largest{16 << 20};

/// Powers of two, and more around 4 KiB, as after refinement.
std::vector<Bytes> grid() {
  std::vector<Bytes> sizes = powers_of_two(largest);
  for (const std::uint64_t size : {3072ULL, 3584ULL, 3840ULL, 3968ULL, 4032ULL, 5120ULL, 6144ULL})
    sizes.push_back(Bytes{size});
  return sizes;
}

double at(const Cost& cost, double size) {
  return static_cast<double>(cost.at(Bytes{static_cast<std::uint64_t>(size)}).count());
}

TEST(LinkFit, recovers_the_truth_from_noise_outliers_and_disturbances) {
  const test::SyntheticLink link = test::shared_memory_link();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const LinkFit fit = fit_link(test::observe(link, grid(), 20, {}, random));
    EXPECT_THAT(fit.objections, IsEmpty());
    for (const double size : {1., 700., 3000., 5000., 66'000., 3e6}) {
      const double truth = link.lone_message(size);
      EXPECT_THAT(lone_message_time(fit.predict.costs, Bytes{static_cast<std::uint64_t>(size)}),
                  DoubleNear(truth, 0.06 * truth + 10))
          << size << " bytes, seed " << seed;
      EXPECT_THAT(at(fit.predict.costs.receive_gap, size),
                  DoubleNear(link.gap(size), 0.06 * link.gap(size) + 10));
      EXPECT_THAT(at(fit.predict.costs.receive_overhead, size),
                  DoubleNear(link.receive_overhead(size), 0.06 * link.receive_overhead(size) + 10));
    }
  }
}

// Five calibrations of one machine agree, whatever the noise.
TEST(LinkFit, is_reproducible_under_different_noise) {
  const test::SyntheticLink link = test::shared_memory_link();
  double least = 1e9, most = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Random random(seed + 100);
    const test::Noise noise{.sample = 0.05 + 0.04 * static_cast<double>(seed),
                            .visit = 0.03,
                            .outliers = 0.05 * static_cast<double>(seed),
                            .disturbed = 0.15 * static_cast<double>(seed)};
    const LinkFit fit = fit_link(test::observe(link, grid(), 20, noise, random));
    const double time = lone_message_time(fit.predict.costs, Bytes{1 << 20});
    least = std::min(least, time);
    most = std::max(most, time);
  }
  EXPECT_LE(most / least, 1.15);
}

TEST(LinkFit, leaves_out_disturbed_large_sizes) {
  // From 4 MiB on messages take about five times as long: memory traffic of other processes.
  const auto slow = [](const test::CostFunction& cost) {
    return [cost](double size) { return size < (4 << 20) ? cost(size) : 5 * cost(size); };
  };
  test::SyntheticLink link = test::shared_memory_link();
  link.round_trip = slow(link.round_trip);
  link.gap = slow(link.gap);
  const auto observed = [&](double wandering) {
    Random random(11);
    LinkObservations observations;
    test::visit(observations, link, Bytes{0}, 20, {}, random);
    for (const Bytes size : grid())
      test::visit(observations, link, size, size.count < (4 << 20) ? 20 : 6,
                  {.visit = size.count < (4 << 20) ? 0.02 : wandering}, random);
    return observations;
  };
  const LinkFit sure = fit_link(observed(0.02));
  EXPECT_THAT(sure.objections, IsEmpty());
  EXPECT_EQ(sure.sizes.back(), largest);

  const LinkFit fit = fit_link(observed(0.3), {.widest_interval = 0.1});
  EXPECT_THAT(fit.objections, IsEmpty());
  EXPECT_LT(fit.sizes.back(), Bytes{4 << 20});
  EXPECT_GE(fit.sizes.back(), Bytes{1 << 20});
  EXPECT_EQ(fit.predict.regimes.back().to, fit.sizes.back());
  EXPECT_THAT(fit.left_out, ::testing::Contains(largest));
  // The remaining fit is unchanged.
  EXPECT_NEAR(lone_message_time(fit.predict.costs, Bytes{65536}),
              lone_message_time(sure.predict.costs, Bytes{65536}),
              0.05 * lone_message_time(sure.predict.costs, Bytes{65536}));
}

TEST(LinkFit, begins_a_range_at_a_protocol_change) {
  Random random(7);
  const LinkFit fit = fit_link(test::observe(test::shared_memory_link(), grid(), 20, {}, random));
  ASSERT_THAT(fit.predict.regimes, SizeIs(2));
  EXPECT_EQ(fit.predict.regimes[0].to, Bytes{4032});
  EXPECT_EQ(fit.predict.regimes[1].from, Bytes{4096});
  EXPECT_EQ(fit.predict.regimes[1].to, largest);
  EXPECT_EQ(fit.predict.regimes[0].points + fit.predict.regimes[1].points, grid().size());
}

// Exact measurements: L = RTT - RTT(0, 0) / 2 - o_send - o_recv = (1000 + s) - 500 - (400 + 0.6 s) - (300 +
// 0.5 s) = -200 - 0.1 s.
TEST(LinkFit, does_not_clamp_a_negative_latency) {
  const test::SyntheticLink link{.round_trip = test::affine(1000, 1),
                                 .send_overhead = test::affine(400, 0.6),
                                 .receive_overhead = test::affine(300, 0.5),
                                 .gap = test::affine(500, 0.7)};
  Random random(8);
  const LinkFit fit = fit_link(test::observe(link, grid(), 6, {0, 0, 0, 0}, random));
  EXPECT_THAT(fit.objections, IsEmpty());
  EXPECT_THAT(at(fit.predict.costs.latency, 10'000), DoubleNear(-1200, 2));
  EXPECT_THAT(lone_message_time(fit.predict.costs, Bytes{10'000}), DoubleNear(10'500, 3));
}

TEST(LinkFit, has_intervals_that_hold_the_truth) {
  const test::SyntheticLink link = test::shared_memory_link();
  int held = 0;
  constexpr int rounds = 40;
  for (std::uint64_t seed = 0; seed < rounds; ++seed) {
    Random random(seed + 50);
    const LinkFit fit = fit_link(test::observe(link, grid(), 20, {.outliers = 0}, random));
    const ParameterFit& gap = fit.predict.regimes.back().gap;
    if (gap.per_byte.low <= 0.09 && 0.09 <= gap.per_byte.high) ++held;
  }
  EXPECT_GE(held, 36);
}

// Samples are normal with deviation sigma about the truth: their 95th percentile is truth (1 + 1.645 sigma).
TEST(LinkFit, verifies_with_the_95th_percentile) {
  const test::SyntheticLink link = test::shared_memory_link();
  Random random(9);
  const LinkFit fit =
      fit_link(test::observe(link, grid(), 40, {.sample = 0.1, .visit = 0, .outliers = 0}, random));
  for (const double size : {100., 66'000.}) {
    EXPECT_THAT(at(fit.verify.costs.receive_gap, size),
                DoubleNear(1.1645 * link.gap(size), 0.04 * link.gap(size)));
    EXPECT_GT(lone_message_time(fit.verify.costs, Bytes{static_cast<std::uint64_t>(size)}),
              lone_message_time(fit.predict.costs, Bytes{static_cast<std::uint64_t>(size)}));
  }
}

TEST(LinkFit, counts_disturbed_samples_only_where_ranks_share_a_core) {
  const test::SyntheticLink link = test::shared_memory_link();
  const test::Noise noise{.outliers = 0, .disturbed = 0.4};
  Random random(10);
  const LinkObservations observations = test::observe(link, grid(), 20, noise, random);
  const LinkFit quiet = fit_link(observations);
  EXPECT_THAT(quiet.disturbed, DoubleNear(0.4, 0.02));
  EXPECT_THAT(at(quiet.verify.costs.receive_gap, 100), Le(2 * link.gap(100)));
  const LinkFit all = fit_link(observations, {.samples = Samples::all});
  EXPECT_EQ(all.disturbed, 0);
  EXPECT_THAT(at(all.verify.costs.receive_gap, 100), Ge(1000 * link.gap(100)));
}

TEST(LinkFit, leaves_out_sizes_that_were_always_disturbed) {
  const test::SyntheticLink link = test::shared_memory_link();
  Random random(11);
  LinkObservations observations = test::observe(link, grid(), 10, {}, random);
  for (Visit& visit : observations.at(largest).of(Quantity::gap)) {
    visit.disturbed.insert(visit.disturbed.end(), visit.quiet.begin(), visit.quiet.end());
    visit.quiet.clear();
  }
  const LinkFit fit = fit_link(observations);
  EXPECT_THAT(fit.left_out, ElementsAre(largest));
  EXPECT_EQ(fit.sizes.back(), Bytes{8 << 20});
  EXPECT_EQ(fit.predict.regimes.back().to, Bytes{8 << 20});
  EXPECT_THAT(fit.objections, IsEmpty());
}

TEST(LinkFit, refuses_a_range_that_ends_too_early) {
  Random random(12);
  LinkObservations observations = test::observe(test::shared_memory_link(), grid(), 10, {}, random);
  for (SizeObservations& entry : observations.sizes)
    if (entry.size > Bytes{65536}) entry.of(Quantity::round_trip).resize(2);
  EXPECT_THAT(fit_link(observations).objections,
              Contains(AllOf(HasSubstr("other processes use the cores"), HasSubstr("above 65536 bytes"))));
}

TEST(LinkFit, refuses_costs_that_fall_with_the_size) {
  test::SyntheticLink link = test::shared_memory_link();
  link.gap = [](double size) { return 2e6 - 0.1 * size; };
  Random random(13);
  EXPECT_THAT(fit_link(test::observe(link, grid(), 20, {}, random)).objections,
              Contains(HasSubstr("g falls with the size")));
}

TEST(LinkFit, refuses_intervals_that_are_too_wide) {
  Random random(14);
  LinkObservations observations;
  const test::SyntheticLink link = test::shared_memory_link();
  test::visit(observations, link, Bytes{0}, 6, {}, random);
  for (const Bytes size : grid()) {
    // Each size has a random error of up to a factor of three.
    test::SyntheticLink moody = link;
    const double mood = std::exp2(3 * random.unit() - 1.5);
    moody.round_trip = [=](double bytes) { return mood * link.round_trip(bytes); };
    test::visit(observations, moody, size, 6, {}, random);
  }
  EXPECT_THAT(fit_link(observations).objections, Contains(HasSubstr("the 95 % interval of the round trip")));
}

TEST(LinkFit, knows_sizes_at_a_step) {
  const ProfileFit fit{.regimes = {{.from = Bytes{1}, .to = Bytes{256}},
                                   {.from = Bytes{512}, .to = Bytes{4032}},
                                   {.from = Bytes{4064}, .to = Bytes{65536}}},
                       .costs = {}};
  EXPECT_TRUE(is_at_step(fit, Bytes{4050}));
  for (const std::uint64_t size : {1, 4032, 4064, 65536, 100'000}) EXPECT_FALSE(is_at_step(fit, Bytes{size}));
  // No size was measured there.
  EXPECT_FALSE(is_at_step(fit, Bytes{300}));
  EXPECT_FALSE(is_at_step({}, Bytes{300}));
}

TEST(LinkFit, has_no_fit_without_undisturbed_visits) {
  Random random(15);
  const LinkObservations observations =
      test::observe(test::shared_memory_link(), grid(), 10, {.disturbed = 1}, random);
  const LinkFit fit = fit_link(observations);
  EXPECT_THAT(fit.predict.regimes, IsEmpty());
  EXPECT_THAT(fit.objections, SizeIs(1));
}

}  // namespace
}  // namespace takt::logp
