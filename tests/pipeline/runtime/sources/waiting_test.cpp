#include "pipeline/runtime/sources/waiting.hpp"

#include <chrono>

#include <gtest/gtest.h>

#include "logp/mpi/backoff.hpp"

namespace takt::pipeline {
namespace {

constexpr std::int64_t us = 1000;

/// Returns the spin time of the last of many waits of a rank that works and waits alternately.
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

TEST(Patience, begins_with_the_short_spin) {
  EXPECT_EQ(spin_after({}, 50 * us, 50 * us, 1), WaitPolicy::spin_ns);
}

TEST(Patience, grows_with_work) {
  EXPECT_EQ(spin_after({}, 100 * us, 60 * us), 200 * us);
  EXPECT_GT(spin_after({}, 40 * us, 60 * us), 60 * us);
}

TEST(Patience, is_short_for_a_rank_with_little_work) {
  EXPECT_EQ(spin_after({}, 1 * us, 100 * us), WaitPolicy::spin_ns);
}

TEST(Patience, is_short_after_a_long_wait) {
  EXPECT_EQ(spin_after({}, 5000 * us, 5000 * us), WaitPolicy::spin_ns);
}

TEST(Patience, is_none_for_oversubscribed_ranks) {
  EXPECT_EQ(spin_after({.is_oversubscribed = true}, 100 * us, 60 * us), WaitPolicy::oversubscribed_spin_ns);
}

TEST(Backoff, polls_infrequently_after_a_long_wait) {
  using namespace std::chrono_literals;
  mpi::Backoff backoff;
  int looks = 0;
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < 60ms) backoff.wait();
  const auto later = std::chrono::steady_clock::now();
  for (; std::chrono::steady_clock::now() - later < 100ms; ++looks) backoff.wait();
  // Intervals of a sixteenth of the time waited so far, at most 4 ms.
  EXPECT_LE(looks, 100 * 16 / 60 + 1);
  EXPECT_GE(looks, 1);
}

TEST(Backoff, polls_infrequently_from_the_start_when_patient) {
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
