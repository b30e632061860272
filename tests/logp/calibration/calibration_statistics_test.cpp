/// Are quantiles, their errors and straight lines what statistics say they are?

#include <gmock/gmock.h>

#include "core/random.hpp"
#include "logp/calibration/line.hpp"
#include "logp/calibration/statistics.hpp"
#include "tests/logp/calibration/synthetic_link.hpp"

namespace takt::logp {
namespace {

using ::testing::DoubleNear;

TEST(Quantile, interpolates_between_neighbours) {
  const std::vector<double> values{40, 10, 30, 20};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 10);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 25);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 40);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 17.5);  // rank 0.75 between 10 and 20
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
}

// Of n values from a normal distribution the median has standard deviation sqrt(pi / 2n) = 1.2533 / sqrt(n).
TEST(Quantile, knows_the_error_of_a_median) {
  Random random(1);
  double mean_error = 0;
  constexpr int rounds = 200, n = 400;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> values;
    for (int i = 0; i < n; ++i) values.push_back(test::normal(random));
    mean_error += estimate_quantile(values, 0.5).error / rounds;
  }
  EXPECT_THAT(mean_error, DoubleNear(1.2533 / 20, 0.006));
}

TEST(Quantile, says_that_one_value_tells_nothing_of_its_error) {
  const Estimate estimate = estimate_quantile({7}, 0.5);
  EXPECT_DOUBLE_EQ(estimate.value, 7);
  EXPECT_DOUBLE_EQ(estimate.error, 7);
}

// Student's table, two-sided 95 %.
TEST(Student, has_the_values_of_the_table) {
  EXPECT_THAT(errors_of_95_percent(1), DoubleNear(12.706, 0.001));
  EXPECT_THAT(errors_of_95_percent(10), DoubleNear(2.228, 0.001));
  EXPECT_THAT(errors_of_95_percent(1000), DoubleNear(1.962, 0.001));
}

TEST(Line, goes_through_points_on_a_line) {
  const std::vector<Measured> points{{1, {12, 1}}, {10, {30, 1}}, {100, {210, 2}}};
  const Line line = fit_line(points);
  EXPECT_THAT(line.slope.value, DoubleNear(2, 1e-9));
  EXPECT_THAT(line.constant().value, DoubleNear(10, 1e-9));
  EXPECT_THAT(line.residual, DoubleNear(0, 1e-9));
}

// Two points with errors 1: the slope's error is sqrt(1 + 1) / 10.
TEST(Line, knows_the_error_of_a_slope) {
  const std::vector<Measured> points{{0, {0, 1}}, {10, {10, 1}}};
  EXPECT_THAT(fit_line(points).slope.error, DoubleNear(std::sqrt(2.0) / 10, 1e-9));
}

TEST(Line, is_level_where_values_fall_and_says_so) {
  const std::vector<Measured> points{{0, {30, 1}}, {10, {20, 1}}, {20, {10, 1}}};
  const Line line = fit_line(points);
  EXPECT_DOUBLE_EQ(line.slope.value, 0);
  EXPECT_DOUBLE_EQ(line.at(20).value, 20);
  EXPECT_THAT(line.free_slope.value, DoubleNear(-1, 1e-9));
  EXPECT_LT(line.free_slope.value + line.reach * line.free_slope.error, 0);
}

// An interval of 95 % holds the truth in 95 of 100 cases; one that is widened where points scatter, rather
// more.
TEST(Line, has_intervals_that_hold_the_truth) {
  Random random(2);
  int held = 0;
  constexpr int rounds = 1000;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Measured> points;
    for (double size = 1; size <= 1024; size *= 2) {
      const double error = 5 + 0.05 * size;
      points.push_back({size, {100 + 0.5 * size + error * test::normal(random), error}});
    }
    const Line line = fit_line(points);
    const Estimate at = line.at(700);
    if (std::abs(at.value - 450) <= line.reach * at.error) ++held;
  }
  EXPECT_GE(held, 940);
}

}  // namespace
}  // namespace takt::logp
