/// Tests that the search finds the highest sustained rate in spite of disturbed trials.

#include "pipeline/sustain/rate_search.hpp"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.hpp"

namespace takt::pipeline {
namespace {

using ::testing::Le;
using ::testing::Optional;

TEST(RateSearch, finds_a_sharp_limit_from_any_start) {
  Random random(1);
  for (int i = 0; i < 500; ++i) {
    const double limit = std::exp2(20 * random.unit()), first = limit * std::exp2(8 * random.unit() - 4);
    const RateSearchOptions options{.first_hz = first, .resolution = 0.005 + 0.1 * random.unit()};
    const RateSearchResult found =
        find_highest_rate([&](double hertz) { return std::optional(hertz <= limit); }, options);
    ASSERT_TRUE(found.is_complete && found.highest_hz && found.failed_hz);
    EXPECT_LE(*found.highest_hz, limit);
    EXPECT_GT(*found.failed_hz, limit);
    EXPECT_LE(*found.failed_hz / *found.highest_hz, 1 + options.resolution);
  }
}

TEST(RateSearch, needs_few_trials) {
  std::size_t trials = 0;
  const RateSearchResult found = find_highest_rate(
      [&](double hertz) {
        ++trials;
        return std::optional(hertz <= 97);
      },
      {.first_hz = 100, .resolution = 0.02, .repetitions = 3});
  EXPECT_EQ(found.trials, trials);
  // 100 twice, 80, four bisections of a quarter with repeated failures, two confirmations.
  EXPECT_THAT(trials, Le(13U));
}

TEST(RateSearch, ignores_one_disturbed_trial) {
  // The sixth trial fails at any rate.
  std::size_t trials = 0;
  const auto trial = [&](double hertz) { return std::optional(++trials != 6 && hertz <= 500); };
  const RateSearchResult found = find_highest_rate(trial, {.first_hz = 100, .resolution = 0.02});
  ASSERT_TRUE(found.is_complete);
  EXPECT_THAT(found.highest_hz, Optional(::testing::DoubleNear(500, 12)));
}

/// Other processes use half of the CPU from the third to the tenth trial.
TEST(RateSearch, repeats_trials_that_other_processes_disturbed) {
  std::size_t trials = 0;
  const auto trial = [&](double hertz) {
    const bool is_disturbed = ++trials > 2 && trials <= 10;
    return std::optional(RateVerdict(hertz <= (is_disturbed ? 250 : 500), is_disturbed));
  };
  const RateSearchOptions options{.first_hz = 400, .resolution = 0.02};
  const RateSearchResult found = find_highest_rate(trial, options);
  ASSERT_TRUE(found.is_complete);
  EXPECT_THAT(found.highest_hz, Optional(::testing::DoubleNear(500, 12)));
}

/// Processes that stay are part of the machine.
TEST(RateSearch, accepts_other_processes_that_stay) {
  const auto trial = [](double hertz) { return std::optional(RateVerdict(hertz <= 250, true)); };
  const RateSearchResult found = find_highest_rate(trial, {.first_hz = 400, .resolution = 0.02});
  ASSERT_TRUE(found.is_complete);
  EXPECT_THAT(found.highest_hz, Optional(::testing::DoubleNear(250, 6)));
  EXPECT_LE(found.trials, 30U);
}

TEST(RateSearch, returns_no_rate_that_holds_by_chance) {
  // Above the limit some trials hold by chance; the returned rate held in its last three trials.
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    std::vector<std::pair<double, bool>> log;
    const auto trial = [&](double hertz) {
      log.emplace_back(hertz, hertz <= 100 || random.unit() < 0.3);
      return std::optional(log.back().second);
    };
    const RateSearchResult found = find_highest_rate(trial, {.first_hz = 150, .most_trials = 10'000});
    ASSERT_TRUE(found.is_complete && found.highest_hz);
    std::erase_if(log, [&](const auto& each) { return each.first != *found.highest_hz; });
    ASSERT_GE(log.size(), 3U);
    for (std::size_t back = 1; back <= 3; ++back) EXPECT_TRUE(log[log.size() - back].second);
    EXPECT_LE(*found.highest_hz, *found.failed_hz);
  }
}

/// The sequence of trials that must hold restarts after a disturbed one.
TEST(RateSearch, rejects_no_rate_because_of_one_failed_trial) {
  std::size_t number = 0;
  std::vector<bool> held;
  const auto trial = [&](double hertz) {
    const bool holds = hertz <= 100 && ++number % 7 != 0;
    held.push_back(holds);
    return std::optional(holds);
  };
  const RateSearchResult found =
      find_highest_rate(trial, {.first_hz = 90, .resolution = 0.1, .repetitions = 5});
  ASSERT_TRUE(found.is_complete);
  EXPECT_GE(*found.highest_hz, 90);
  EXPECT_THAT(std::vector(held.end() - 5, held.end()), ::testing::Each(true));
}

TEST(RateSearch, ends_when_no_rate_holds) {
  const RateSearchResult found =
      find_highest_rate([](double) { return std::optional(false); }, {.first_hz = 100, .most_trials = 1000});
  EXPECT_FALSE(found.highest_hz || found.is_complete);
  EXPECT_THAT(found.trials, Le(70U));
}

TEST(RateSearch, ends_when_its_trials_are_used_up) {
  const RateSearchResult found =
      find_highest_rate([](double) { return std::optional(true); }, {.first_hz = 1, .most_trials = 10});
  EXPECT_EQ(found.trials, 10U);
  EXPECT_FALSE(found.is_complete || found.failed_hz);
  EXPECT_THAT(found.highest_hz, Optional(::testing::DoubleEq(std::pow(1.25, 9))));
}

TEST(RateSearch, ends_on_request) {
  int trials = 0;
  const RateSearchResult found = find_highest_rate(
      [&](double hertz) { return ++trials < 4 ? std::optional(hertz < 3) : std::nullopt; }, {.first_hz = 2});
  EXPECT_EQ(trials, 4);
  EXPECT_FALSE(found.is_complete);
  EXPECT_THAT(found.highest_hz, Optional(2.5));
}

}  // namespace
}  // namespace takt::pipeline
