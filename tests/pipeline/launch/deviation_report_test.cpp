/// Tests that each deviation of a run is reported once.

#include "pipeline/launch/deviation_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace takt::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t one_second = 1'000'000'000;

/// Windows of 4 s; five checks per second.
class DeviationReportTest : public ::testing::Test {
 protected:
  std::vector<std::string> see(const std::optional<Diagnosis>& seen, double seconds) {
    std::vector<std::string> said;
    for (int i = 0; i < static_cast<int>(5 * seconds); ++i, now_ += one_second / 5)
      if (auto text = news_.take(seen, now_)) said.push_back(*text);
    return said;
  }
  static Diagnosis of(const std::string& cause, bool misses_rate = false) {
    Diagnosis seen{.cause = cause, .told = {cause}, .misses_rate = misses_rate, .text = cause};
    if (misses_rate) {
      seen.told.insert(rate_cause);
      seen.text += " misses";
    }
    return seen;
  }

  DeviationReport news_{Time{4 * one_second}};
  std::int64_t now_ = 50 * one_second;
};

TEST_F(DeviationReportTest, waits_for_half_a_window_and_reports_once) {
  EXPECT_THAT(see(of("a"), 1.8), IsEmpty());
  EXPECT_THAT(see(std::nullopt, 1), IsEmpty());
  EXPECT_THAT(see(of("a"), 1.8), IsEmpty()) << "it did not last";
  EXPECT_THAT(see(of("a"), 100), ElementsAre("a"));
}

TEST_F(DeviationReportTest, reports_the_cause_that_lasts_and_not_the_first_one) {
  EXPECT_THAT(see(of("a"), 1), IsEmpty());
  EXPECT_THAT(see(of("b", true), 60), ElementsAre("b misses"));
}

TEST_F(DeviationReportTest, reports_another_cause_when_it_has_lasted_for_two_windows) {
  EXPECT_THAT(see(of("a"), 10), ElementsAre("a"));
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(see(of("b"), 7), IsEmpty());
    EXPECT_THAT(see(of("a"), 1), IsEmpty());
  }
  EXPECT_THAT(see(of("b"), 60), ElementsAre("b"));
}

TEST_F(DeviationReportTest, reports_a_missed_rate_unless_it_did_before) {
  EXPECT_THAT(see(of("a"), 10), ElementsAre("a"));
  EXPECT_THAT(see(of("a", true), 60), ElementsAre("a misses"));
  EXPECT_THAT(see(of("a"), 60), IsEmpty());
}

/// The deviation is absent for 12 windows (48 s) in total, then for 24 (96 s).
TEST_F(DeviationReportTest, reports_again_after_increasing_periods_without_deviation) {
  EXPECT_THAT(see(of("a"), 10), ElementsAre("a"));
  EXPECT_THAT(see(std::nullopt, 30), IsEmpty());
  EXPECT_THAT(see(of("a"), 60), IsEmpty());
  EXPECT_THAT(see(std::nullopt, 20), IsEmpty());
  EXPECT_THAT(see(of("a"), 10), ElementsAre("a"));
  EXPECT_THAT(see(std::nullopt, 90), IsEmpty());
  EXPECT_THAT(see(of("a"), 10), IsEmpty());
  EXPECT_THAT(see(std::nullopt, 10), IsEmpty());
  EXPECT_THAT(see(of("a"), 10), ElementsAre("a"));
}

}  // namespace
}  // namespace takt::pipeline
