/// Are exactly the protocol steps found?

#include <algorithm>

#include <gmock/gmock.h>

#include "logp/calibration/refine.hpp"
#include "logp/calibration/regimes.hpp"
#include "tests/logp/calibration/synthetic_link.hpp"

namespace takt::logp {
namespace calibration_calibration_regimes_test {

using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

constexpr Bytes largest{16 << 20};

std::vector<Measured> curve_of(const test::CostFunction& cost, const std::vector<Bytes>& sizes) {
  std::vector<Measured> curve;
  for (const Bytes size : sizes) {
    const double value = cost(static_cast<double>(size.count));
    curve.push_back({static_cast<double>(size.count), {value, 0.04 * value + 3}});
  }
  return curve;
}

TEST(Sizes, are_the_powers_of_two_and_the_largest) {
  EXPECT_THAT(powers_of_two(Bytes{8}), ElementsAre(Bytes{1}, Bytes{2}, Bytes{4}, Bytes{8}));
  EXPECT_THAT(powers_of_two(Bytes{5}), ElementsAre(Bytes{1}, Bytes{2}, Bytes{4}, Bytes{5}));
  EXPECT_THAT(powers_of_two(largest), SizeIs(25));
}

TEST(Regimes, are_one_on_a_line) {
  const std::vector<std::vector<Measured>> curves{curve_of(test::affine(500, 0.1), powers_of_two(largest))};
  EXPECT_THAT(find_regimes(curves), ElementsAre(0));
}

// A step of one curve at 4096 = 2^12, which is point 12, and of another one at 2^18.
TEST(Regimes, begin_at_every_curves_steps) {
  const std::vector<Bytes> sizes = powers_of_two(largest);
  const std::vector<std::vector<Measured>> curves{curve_of(test::stepped(500, 0.1, 4096, 3000, 0.2), sizes),
                                                  curve_of(test::stepped(90, 0, 1 << 18, 500, 0), sizes)};
  EXPECT_THAT(find_regimes(curves), ElementsAre(0, 12, 18));
}

TEST(Regimes, are_one_when_there_are_too_few_points_for_two) {
  const std::vector<std::vector<Measured>> curves{
      curve_of(test::stepped(500, 0.1, 4, 9000, 0.2), powers_of_two(Bytes{16}))};
  EXPECT_THAT(find_regimes(curves), ElementsAre(0));
}

// The partition is optimal: no other one of at most three ranges costs less.
TEST(Regimes, are_the_cheapest_partition) {
  Random random(3);
  const std::vector<Bytes> sizes = powers_of_two(Bytes{2048});
  const RegimeOptions options{.price = 20};
  for (int round = 0; round < 50; ++round) {
    std::vector<std::vector<Measured>> curves(2);
    for (std::vector<Measured>& curve : curves)
      for (const Bytes size : sizes)
        curve.push_back({static_cast<double>(size.count), {100 + 60 * random.unit(), 10}});
    auto cost = [&](std::vector<std::size_t> starts) {
      starts.push_back(sizes.size());
      double sum = 0;
      for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
        sum += options.price;
        for (const std::vector<Measured>& curve : curves)
          sum += fit_line(std::span(curve).subspan(starts[i], starts[i + 1] - starts[i])).misfit;
      }
      return sum;
    };
    double least = cost({0});
    for (std::size_t one = 3; one + 3 <= sizes.size(); ++one) {
      least = std::min(least, cost({0, one}));
      for (std::size_t two = one + 3; two + 3 <= sizes.size(); ++two) {
        least = std::min(least, cost({0, one, two}));
        for (std::size_t three = two + 3; three + 3 <= sizes.size(); ++three)
          least = std::min(least, cost({0, one, two, three}));
      }
    }
    EXPECT_DOUBLE_EQ(cost(find_regimes(curves, options)), least);
  }
}

/// Measures, refines, measures again, as a calibration does.
LinkObservations refine_until_done(const test::SyntheticLink& link, const test::Noise& noise,
                                   std::uint64_t seed) {
  Random random(seed);
  LinkObservations observations = test::observe(link, powers_of_two(largest), 8, noise, random);
  for (int pass = 0; pass < 30; ++pass) {
    const std::vector<Bytes> added = sizes_to_add(summarise(observations, Samples::quiet));
    if (added.empty()) return observations;
    for (const Bytes size : added) test::visit(observations, link, size, 8, noise, random);
  }
  ADD_FAILURE() << "the refinement does not end";
  return observations;
}

TEST(Refinement, adds_nothing_to_straight_lines) {
  const test::SyntheticLink link{.round_trip = test::affine(600, 0.12),
                                 .send_overhead = test::affine(60, 0.001),
                                 .receive_overhead = test::affine(100, 0.09),
                                 .gap = test::affine(90, 0.1)};
  Random random(4);
  const LinkObservations observations = test::observe(link, powers_of_two(largest), 8, {}, random);
  EXPECT_THAT(sizes_to_add(summarise(observations, Samples::quiet)), IsEmpty());
}

TEST(Refinement, locates_steps_wherever_they_are) {
  for (const std::uint64_t step : {300ULL, 3000ULL, 4096ULL, 5001ULL, 70'000ULL, 1'000'000ULL}) {
    const auto at = static_cast<double>(step);
    const test::SyntheticLink link{
        .round_trip = test::stepped(600, 0.12, at, 600 + 0.5 * (600 + 0.12 * at), 0.12),
        .send_overhead = test::affine(60, 0),
        .receive_overhead = test::affine(100, 0.09),
        .gap = test::affine(90, 0.1)};
    const LinkObservations observations = refine_until_done(link, {}, step);
    // The neighbours of the step are measured.
    const auto above =
        std::lower_bound(observations.sizes.begin(), observations.sizes.end(), Bytes{step},
                         [](const SizeObservations& entry, Bytes size) { return entry.size < size; });
    const auto below = std::prev(above);
    EXPECT_THAT(above->size.count - below->size.count, Le(step / 50 + 1)) << "step at " << step;
    EXPECT_THAT(observations.sizes.size(), Gt(26U));
  }
}

TEST(Refinement, adds_steps_before_small_deviations) {
  const test::SyntheticLink link{.round_trip = test::affine(600, 0.12),
                                 .send_overhead = test::affine(60, 0.001),
                                 .receive_overhead = test::affine(100, 0.09),
                                 .gap = test::stepped(160, 0.1, 260, 340, 0.1)};
  Random random(4);
  LinkObservations observations = test::observe(link, powers_of_two(largest), 8, {}, random);
  std::array<Curve, quantity_count> curves = summarise(observations, Samples::quiet);
  // Many sizes with a small error.
  Curve& round_trips = curves[static_cast<std::size_t>(Quantity::round_trip)];
  for (std::size_t i = 0; i < round_trips.size(); i += 2) round_trips[i].median.value *= 1.12;
  EXPECT_GT(sizes_to_add(curves, {.most_at_once = 100}).size(), 8U);
  // Before the step, and after it, where the line through both its sides is misleading.
  EXPECT_THAT(sizes_to_add(curves, {.most_at_once = 2}), ElementsAre(Bytes{384}, Bytes{768}));
  EXPECT_THAT(sizes_to_add(curves), SizeIs(4));
}

TEST(Refinement, ends_within_few_sizes_under_noise) {
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    EXPECT_LE(
        refine_until_done(test::shared_memory_link(), {.sample = 0.2, .visit = 0.08}, seed).sizes.size(),
        72U);
}

}  // namespace calibration_calibration_regimes_test
}  // namespace takt::logp
