#include "pipeline/runtime/sources/arrivals.hpp"

#include <cstdint>
#include <functional>
#include <random>

#include <gtest/gtest.h>

namespace takt::pipeline {
namespace {

constexpr std::int64_t us = 1000, ms = 1'000'000;

/// Receives `count` messages, message k at `sent(k)` after the beginning without delay. Returns the share
/// that arrived in their windows, of those with a window.
double share_in_windows(Arrivals& arrivals, int count, const std::function<std::int64_t(int)>& sent,
                        int* without = nullptr) {
  constexpr std::int64_t start = 1'000'000'000'000;
  int windows = 0, in_windows = 0;
  for (int k = 0; k < count; ++k) {
    const Arrivals::Window window = arrivals.next();
    const std::int64_t at = start + sent(k);
    if (window.end == 0 && without != nullptr) ++*without;
    if (window.end != 0) ++windows;
    if (window.contains(at)) ++in_windows;
    arrivals.came(at, at + us / 2);
  }
  return windows == 0 ? 0 : static_cast<double>(in_windows) / windows;
}

TEST(Arrivals, of_a_periodic_stream_are_in_their_windows) {
  Arrivals arrivals;
  int without = 0;
  EXPECT_EQ(share_in_windows(
                arrivals, 300, [](int k) { return 10 * ms * k; }, &without),
            1);
  // Messages before the period is known, and until the initial deviation is forgotten.
  EXPECT_LT(without, 60);
}

TEST(Arrivals, are_polled_for_at_most_a_hundredth_of_the_period) {
  Arrivals arrivals;
  (void)share_in_windows(arrivals, 300, [](int k) { return 10 * ms * k; });
  const Arrivals::Window window = arrivals.next();
  const std::int64_t due = 1'000'000'000'000 + 300 * 10 * ms;
  EXPECT_LT(window.begin, due);
  // A receiver that wakes on time polls from the beginning of the window.
  EXPECT_LE(due - window.begin, 10 * ms / 100 + 5 * us);
  EXPECT_LE(window.end - due, 10 * ms / 100);
}

TEST(Arrivals, are_predicted_although_some_are_late_or_missing) {
  std::mt19937 random(7);
  Arrivals arrivals;
  const double share = share_in_windows(arrivals, 1000, [&](int k) {
    const std::int64_t late = random() % 4 == 0 ? static_cast<std::int64_t>(random() % 3000) * us : 0;
    const auto early = static_cast<std::int64_t>(random() % 1000);
    return 10 * ms * (k + k / 10) + late - early;
  });
  // One of four is late, and one window of ten has no message.
  EXPECT_GT(share, 0.6);
}

TEST(Arrivals, with_a_slow_drift_or_a_new_period_are_followed) {
  Arrivals arrivals;
  // 100 ppm faster than the receiver's clock.
  EXPECT_GT(share_in_windows(arrivals, 300, [](int k) { return 20 * ms * k - 2 * us * k; }), 0.95);
  // 25 Hz instead of 50 Hz from the same time on.
  const auto slower = [](int k) { return 300 * 20 * ms + 40 * ms * k; };
  (void)share_in_windows(arrivals, 600, slower);
  EXPECT_GT(share_in_windows(arrivals, 100, [&](int k) { return slower(600 + k); }), 0.95);
}

TEST(Arrivals, that_are_irregular_or_frequent_have_no_windows) {
  std::mt19937 random(11);
  std::int64_t at = 0;
  Arrivals irregular;
  int without = 0;
  (void)share_in_windows(
      irregular, 1000, [&](int) { return at += static_cast<std::int64_t>(random() % 20'000) * us; },
      &without);
  EXPECT_GT(without, 990);
  Arrivals frequent;
  without = 0;
  (void)share_in_windows(
      frequent, 1000, [](int k) { return ms * k; }, &without);
  EXPECT_EQ(without, 1000);
}

TEST(Arrivals, over_hosts_are_expected_by_the_receivers_clock) {
  Arrivals arrivals;
  constexpr std::int64_t offset = 3'600'000 * ms;
  for (int k = 0; k < 300; ++k) arrivals.came(20 * ms * k, offset + 20 * ms * k + 80 * us);
  EXPECT_TRUE(arrivals.next().contains(offset + 20 * ms * 300 + 80 * us));
}

TEST(Awakening, learns_how_late_sleeps_end) {
  Awakening awakening;
  for (int i = 0; i < 500; ++i) awakening.woke(0, i % 10 == 0 ? 400 * us : 25 * us);
  EXPECT_GE(awakening.margin(), 25 * us);
  EXPECT_LE(awakening.margin(), 35 * us);
  for (int i = 0; i < 500; ++i) awakening.woke(0, 90 * us);
  EXPECT_NEAR(static_cast<double>(awakening.margin()), 90.0 * us, 7.0 * us);
}

TEST(Awakening, a_long_sleep_has_two_alarms) {
  const std::int64_t first = Awakening::alarm(0, 10 * ms);
  EXPECT_LT(first, 10 * ms);
  EXPECT_GT(first, 9 * ms);
  EXPECT_EQ(Awakening::alarm(first + 50 * us, 10 * ms), 10 * ms);
  EXPECT_EQ(Awakening::alarm(0, ms), ms);
}

}  // namespace
}  // namespace takt::pipeline
