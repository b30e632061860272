#include "pipeline/protocol/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include <gmock/gmock.h>

namespace takt::pipeline {
namespace {

Distribution merged(const Histogram& histogram) {
  Distribution distribution;
  distribution.merge(histogram.buckets());
  return distribution;
}

TEST(Histogram, quantiles_are_within_its_resolution_of_the_sorted_values) {
  std::mt19937_64 random(7);
  auto histogram = std::make_unique<Histogram>();
  std::vector<std::int64_t> values;
  for (int i = 0; i < 10'000; ++i) {
    // Log-uniform from 1 ns to 10 s.
    const double exponent = 10.0 * static_cast<double>(random() >> 11) / 9007199254740992.0;
    values.push_back(static_cast<std::int64_t>(std::pow(10.0, exponent)));
    histogram->record(Time(values.back()));
  }
  std::sort(values.begin(), values.end());
  const Distribution distribution = merged(*histogram);
  for (double q : {0.01, 0.5, 0.9, 0.99, 1.0}) {
    const auto exact = static_cast<double>(values[static_cast<std::size_t>(std::ceil(q * 10'000)) - 1]);
    const auto estimate = static_cast<double>(distribution.quantile(q).count());
    EXPECT_GE(estimate, exact);
    EXPECT_LE(estimate, exact * (1 + 1.0 / 64) + 1);
  }
}

TEST(Histogram, small_values_are_exact_and_negative_ones_count_as_zero) {
  auto histogram = std::make_unique<Histogram>();
  histogram->record(Time{-5});
  histogram->record(Time{63});
  EXPECT_EQ(merged(*histogram).quantile(0.5), Time{0});
  EXPECT_EQ(merged(*histogram).quantile(1), Time{63});
}

TEST(Histogram, accepts_the_largest_time) {
  auto histogram = std::make_unique<Histogram>();
  histogram->record(Time::max());
  EXPECT_EQ(merged(*histogram).quantile(1), Time::max());
}

TEST(Distribution, of_several_ranks_is_that_of_all_their_values) {
  auto one = std::make_unique<Histogram>(), two = std::make_unique<Histogram>(),
       both = std::make_unique<Histogram>();
  for (int i = 1; i <= 100; ++i) {
    (i % 3 == 0 ? one : two)->record(Time{i * 1000});
    both->record(Time{i * 1000});
  }
  Distribution distribution = merged(*one);
  distribution.merge(two->buckets());
  EXPECT_EQ(distribution.count(), 100U);
  EXPECT_EQ(distribution.quantile(0.37), merged(*both).quantile(0.37));
}

TEST(Distribution, without_values_has_quantile_zero) {
  EXPECT_EQ(Distribution{}.quantile(0.5), Time{0});
}

}  // namespace
}  // namespace takt::pipeline
