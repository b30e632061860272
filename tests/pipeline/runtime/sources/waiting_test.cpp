#include "pipeline/runtime/sources/waiting.hpp"

#include <chrono>

#include <gtest/gtest.h>

#include "logp/mpi/backoff.hpp"

namespace takt::pipeline {
namespace {

constexpr std::int64_t us = 1000;

/// How long the last of many waits may spin, of a rank that works and waits in turns.
std::int64_t spin_after(const WaitPolicy& policy, std::int64_t work, std::int64_t waiting, int turns = 50) {
  Patience patience(policy);
  std::int64_t now = us, spin = 0;
  for (int i = 0; i < turns; ++i) {
    spin = patience.begin(now);
    patience.end(now += waiting);
    now += work;
  }
  return spin;
}

TEST(Patience, BeginsWithTheShortSpin) {
  EXPECT_EQ(spin_after({}, 50 * us, 50 * us, 1), WaitPolicy::spin_ns);
}

TEST(Patience, IsEarnedByWork) {
  EXPECT_EQ(spin_after({}, 100 * us, 60 * us), 200 * us);
  EXPECT_GT(spin_after({}, 40 * us, 60 * us), 60 * us);
}

TEST(Patience, ARankWithLittleToDoSleepsSoon) {
  EXPECT_EQ(spin_after({}, 1 * us, 100 * us), WaitPolicy::spin_ns);
}

TEST(Patience, AfterALongWaitTheNextOneSleepsSoon) {
  EXPECT_EQ(spin_after({}, 5000 * us, 5000 * us), WaitPolicy::spin_ns);
}

TEST(Patience, RanksThatShareCoresHaveNone) {
  EXPECT_EQ(spin_after({.is_oversubscribed = true}, 100 * us, 60 * us), WaitPolicy::oversubscribed_spin_ns);
}

TEST(Backoff, LooksSeldomAfterALongWait) {
  using namespace std::chrono_literals;
  mpi::Backoff backoff;
  int looks = 0;
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < 60ms) backoff.wait();
  const auto later = std::chrono::steady_clock::now();
  for (; std::chrono::steady_clock::now() - later < 100ms; ++looks) backoff.wait();
  // A sixteenth of the time that it has waited, 4 ms at most.
  EXPECT_LE(looks, 100 * 16 / 60 + 1);
  EXPECT_GE(looks, 1);
}

TEST(Backoff, LooksSeldomFromTheStartWhereItIsPatient) {
  using namespace std::chrono_literals;
  mpi::Backoff backoff = mpi::Backoff::patient();
  int looks = 0;
  for (const auto start = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - start < 40ms;
       ++looks)
    backoff.wait();
  EXPECT_LE(looks, 40 / 4);
  EXPECT_GE(looks, 1);
}

}  // namespace
}  // namespace takt::pipeline
