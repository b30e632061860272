/// Tests that one of two threads sees the other's store although only one of them executes a fence.

#include "core/system/asymmetric_fence.hpp"

#include <barrier>
#include <thread>

#include <gtest/gtest.h>

namespace takt {
namespace {

TEST(AsymmetricFence, at_least_one_thread_sees_the_store_of_the_other) {
  constexpr int rounds = 2'000;
  const AsymmetricFence fence;
  std::atomic<bool> light_stored{false}, heavy_stored{false};
  bool light_saw = false, heavy_saw = false;
  std::barrier both(2);
  std::thread light([&] {
    for (int round = 0; round < rounds; ++round) {
      both.arrive_and_wait();
      light_stored.store(true, std::memory_order_relaxed);
      fence.light();
      light_saw = heavy_stored.load(std::memory_order_relaxed);
      both.arrive_and_wait();
    }
  });
  for (int round = 0; round < rounds; ++round) {
    light_stored = heavy_stored = false;
    both.arrive_and_wait();
    heavy_stored.store(true, std::memory_order_relaxed);
    fence.heavy();
    heavy_saw = light_stored.load(std::memory_order_relaxed);
    both.arrive_and_wait();
    EXPECT_TRUE(light_saw || heavy_saw) << "in round " << round;
  }
  light.join();
}

}  // namespace
}  // namespace takt
