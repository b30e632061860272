/// Do quantiles, their errors and fitted lines agree with statistics?

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

TEST(Quantile, has_no_error_estimate_for_one_value) {
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

TEST(Line, is_level_and_reports_so_for_falling_values) {
  const std::vector<Measured> points{{0, {30, 1}}, {10, {20, 1}}, {20, {10, 1}}};
  const Line line = fit_line(points);
  EXPECT_DOUBLE_EQ(line.slope.value, 0);
  EXPECT_DOUBLE_EQ(line.at(20).value, 20);
  EXPECT_THAT(line.free_slope.value, DoubleNear(-1, 1e-9));
  EXPECT_LT(line.free_slope.value + line.reach * line.free_slope.error, 0);
}

// An interval of 95 % contains the truth in 95 of 100 cases; one widened for scattered points, slightly more
// often.
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

std::vector<Visit> visits_with(std::initializer_list<std::pair<double, double>> references_and_values) {
  std::vector<Visit> visits;
  for (const auto& [reference, value] : references_and_values)
    visits.push_back({.quiet = {value}, .reference = reference});
  return visits;
}

/// Two states, 500 and 1300 ns: the lower quartile of the references belongs to the quieter one if that had a
/// quarter of the time, otherwise to the other.
TEST(MachineState, is_the_quietest_that_lasted_for_a_quarter_of_the_time) {
  const MachineState quiet = state_of({1300, 500, 1310, 510, 1290});
  EXPECT_TRUE(quiet.contains({.reference = 520}));
  EXPECT_FALSE(quiet.contains({.reference = 1300}));
  const MachineState busy = state_of({1300, 1310, 1290, 1300, 1320, 1300, 500});
  EXPECT_FALSE(busy.contains({.reference = 500}));
  EXPECT_TRUE(busy.contains({.reference = 1200}));
  // No reference was measured.
  EXPECT_TRUE(quiet.contains({}));
  EXPECT_TRUE(state_of({}).contains({.reference = 7}));
}

TEST(MachineState, excludes_visits_in_another_state) {
  const std::vector<Visit> visits = visits_with({{500, 10}, {1300, 30}, {510, 12}, {1290, 32}, {505, 11}});
  const Point point = summarise(Bytes{8}, visits, Samples::quiet, state_of({500, 1300, 510, 1290, 505}));
  EXPECT_EQ(point.visits, 3U);
  EXPECT_EQ(point.discarded, 2U);
  // The quartile of 10, 11 and 12.
  EXPECT_DOUBLE_EQ(point.median.value, 10.5);
  // All visits of this size are in another state: the least value is all that is known.
  const Point elsewhere =
      summarise(Bytes{8}, visits_with({{1300, 30}, {1290, 29}}), Samples::quiet, {400, 600});
  EXPECT_EQ(elsewhere.visits, 0U);
  EXPECT_DOUBLE_EQ(elsewhere.median.value, 29);
}

}  // namespace
}  // namespace takt::logp
