#include "pipeline/engine/timeline.hpp"

#include <numeric>

#include <gtest/gtest.h>

namespace takt::pipeline {
namespace {

TEST(Timeline, GivesEachNanosecondToOneUse) {
  UseTallies totals;
  Timeline timeline(totals);
  timeline.start();
  const std::int64_t start = timeline.since();
  timeline.enter(Use::compute, start + 5);
  timeline.enter(Use::other, start + 25);
  timeline.enter(Use::blocked, start + 28);
  timeline.enter(Use::other, start + 40);
  EXPECT_EQ(totals[static_cast<std::size_t>(Use::compute)].value(), 20U);
  EXPECT_EQ(totals[static_cast<std::size_t>(Use::blocked)].value(), 12U);
  EXPECT_EQ(totals[static_cast<std::size_t>(Use::other)].value(), 8U);
}

TEST(Timeline, WhatFollowsTheLoopBeginsWhereItBegan) {
  UseTallies totals;
  Timeline timeline(totals);
  timeline.start();
  const std::int64_t end = timeline.enter(Use::other);
  EXPECT_EQ(timeline.follow(Use::compute), end);
  EXPECT_EQ(timeline.use(), Use::compute);
  EXPECT_EQ(timeline.since(), end);
}

TEST(Timeline, WhatFollowsAWaitDoesNotGetItsTime) {
  UseTallies totals;
  Timeline timeline(totals);
  timeline.start();
  const std::int64_t start = timeline.enter(Use::starved);
  const std::int64_t next = timeline.follow(Use::compute);
  EXPECT_EQ(totals[static_cast<std::size_t>(Use::starved)].value(), static_cast<std::uint64_t>(next - start));
}

}  // namespace
}  // namespace takt::pipeline
