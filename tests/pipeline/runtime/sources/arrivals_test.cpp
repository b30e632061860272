#include "pipeline/runtime/sources/arrivals.hpp"

#include <cstdint>
#include <functional>
#include <random>

#include <gtest/gtest.h>

namespace takt::pipeline {
namespace {

constexpr std::int64_t us = 1000, ms = 1'000'000;

/// Told `count` messages, message k `sent(k)` after the beginning and noticed at once: of those for which
/// there was a window, the part that came in it.
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

TEST(Arrivals, OfAPeriodicStreamComeInTheirWindows) {
  Arrivals arrivals;
  int without = 0;
  EXPECT_EQ(share_in_windows(
                arrivals, 300, [](int k) { return 10 * ms * k; }, &without),
            1);
  // Some before anything is known, and until the deviation that is thought at first is forgotten.
  EXPECT_LT(without, 60);
}

TEST(Arrivals, AreNotLookedForLongerThanAHundredthOfTheTimeBetween) {
  Arrivals arrivals;
  (void)share_in_windows(arrivals, 300, [](int k) { return 10 * ms * k; });
  const Arrivals::Window window = arrivals.next();
  const std::int64_t due = 1'000'000'000'000 + 300 * 10 * ms;
  EXPECT_LT(window.begin, due);
  // Who is not woken late looks from its begin on.
  EXPECT_LE(due - window.begin, 10 * ms / 100 + 5 * us);
  EXPECT_LE(window.end - due, 10 * ms / 100);
}

TEST(Arrivals, AreFoundThoughSomeAreLateAndSomeAreLeftOut) {
  std::mt19937 random(7);
  Arrivals arrivals;
  const double share = share_in_windows(arrivals, 1000, [&](int k) {
    const std::int64_t late = random() % 4 == 0 ? static_cast<std::int64_t>(random() % 3000) * us : 0;
    const auto early = static_cast<std::int64_t>(random() % 1000);
    return 10 * ms * (k + k / 10) + late - early;
  });
  // One of four is late, and one of ten is waited for in vain.
  EXPECT_GT(share, 0.6);
}

TEST(Arrivals, OfASlowDriftAndOfANewPeriodAreFollowed) {
  Arrivals arrivals;
  // 100 parts in a million faster than the receiver's clock.
  EXPECT_GT(share_in_windows(arrivals, 300, [](int k) { return 20 * ms * k - 2 * us * k; }), 0.95);
  // From the same moment on, 25 Hz instead of 50.
  const auto slower = [](int k) { return 300 * 20 * ms + 40 * ms * k; };
  (void)share_in_windows(arrivals, 600, slower);
  EXPECT_GT(share_in_windows(arrivals, 100, [&](int k) { return slower(600 + k); }), 0.95);
}

TEST(Arrivals, AtAnyTimeOrTooOftenAreNotWaitedForAwake) {
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

TEST(Arrivals, OverHostsAreExpectedByTheReceiversClock) {
  Arrivals arrivals;
  constexpr std::int64_t offset = 3'600'000 * ms;
  for (int k = 0; k < 300; ++k) arrivals.came(20 * ms * k, offset + 20 * ms * k + 80 * us);
  EXPECT_TRUE(arrivals.next().contains(offset + 20 * ms * 300 + 80 * us));
}

TEST(Awakening, LearnsHowLateSleepsEnd) {
  Awakening awakening;
  for (int i = 0; i < 500; ++i) awakening.woke(0, i % 10 == 0 ? 400 * us : 25 * us);
  EXPECT_GE(awakening.margin(), 25 * us);
  EXPECT_LE(awakening.margin(), 35 * us);
  for (int i = 0; i < 500; ++i) awakening.woke(0, 90 * us);
  EXPECT_NEAR(static_cast<double>(awakening.margin()), 90.0 * us, 7.0 * us);
}

TEST(Awakening, ALongSleepHasTwoAlarms) {
  const std::int64_t first = Awakening::alarm(0, 10 * ms);
  EXPECT_LT(first, 10 * ms);
  EXPECT_GT(first, 9 * ms);
  EXPECT_EQ(Awakening::alarm(first + 50 * us, 10 * ms), 10 * ms);
  EXPECT_EQ(Awakening::alarm(0, ms), ms);
}

}  // namespace
}  // namespace takt::pipeline
