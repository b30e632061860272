/// Tests that frames pass from one thread to another complete, in order, and without loss.

#include "sensors/frames/frame_queue.hpp"

#include <algorithm>
#include <array>
#include <thread>

#include <gmock/gmock.h>

#include "core/system/clock.hpp"

namespace takt::sensors {
namespace {

constexpr takt::Bytes frame_size{96};

TEST(FrameQueue, slots_are_aligned_and_disjoint) {
  FrameQueue queue(3, frame_size);
  std::vector<FrameSlot*> slots;
  while (FrameSlot* slot = queue.acquire()) slots.push_back(slot);
  ASSERT_EQ(slots.size(), 3u);
  for (FrameSlot* slot : slots) {
    EXPECT_EQ(slot->bytes.size(), 96u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(slot->bytes.data()) % 64, 0u);
    std::fill(slot->bytes.begin(), slot->bytes.end(), static_cast<std::byte>(slot - slots[0]));
  }
  for (FrameSlot* slot : slots) EXPECT_EQ(slot->bytes.back(), static_cast<std::byte>(slot - slots[0]));
}

TEST(FrameQueue, a_slot_cycles_through_the_queue) {
  FrameQueue queue(2, frame_size);
  EXPECT_EQ(queue.front(), nullptr);
  FrameSlot* first = queue.acquire();
  FrameSlot* second = queue.acquire();
  EXPECT_EQ(queue.acquire(), nullptr);
  queue.push(second);
  queue.push(first);
  EXPECT_EQ(queue.waiting(), 2u);
  EXPECT_EQ(queue.front(), second);
  queue.take();
  EXPECT_EQ(queue.front(), first) << "the next one, while the first is still held";
  queue.take();
  EXPECT_EQ(queue.front(), nullptr);
  queue.pop();
  EXPECT_EQ(queue.acquire(), second) << "the one taken first is given back first";
  EXPECT_EQ(queue.acquire(), nullptr);
  EXPECT_EQ(queue.high_water(), 2u);
}

TEST(FrameQueue, two_threads_hand_over_every_frame_in_order_and_whole) {
  constexpr std::uint64_t frames = 20'000;
  FrameQueue queue(4, frame_size);
  std::uint64_t refused = 0;
  std::thread producer([&] {
    for (std::uint64_t number = 0; number < frames;) {
      FrameSlot* slot = queue.acquire();
      if (slot == nullptr) {
        ++refused;
        std::this_thread::yield();
        continue;
      }
      slot->header.sequence = number;
      std::fill(slot->bytes.begin(), slot->bytes.end(), static_cast<std::byte>(number));
      queue.push(slot);
      ++number;
    }
  });
  for (std::uint64_t number = 0; number < frames;) {
    FrameSlot* slot = queue.front();
    if (slot == nullptr) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(slot->header.sequence, number);
    ASSERT_EQ(std::count(slot->bytes.begin(), slot->bytes.end(), static_cast<std::byte>(number)), 96);
    queue.take();
    queue.pop();
    ++number;
  }
  producer.join();
  EXPECT_LE(queue.high_water(), 4u);
}

TEST(FrameQueue, a_consumer_that_sleeps_is_woken_by_the_next_frame) {
  constexpr std::uint64_t frames = 2'000;
  FrameQueue queue(2, frame_size);
  std::thread producer([&] {
    for (std::uint64_t number = 0; number < frames;) {
      FrameSlot* slot = queue.acquire();
      if (slot == nullptr) {
        std::this_thread::yield();
        continue;
      }
      slot->header.sequence = number++;
      queue.push(slot);
    }
  });
  // Without a wake-up this would take an hour.
  const std::int64_t for_ever = now_ns() + std::int64_t{3'600'000'000'000};
  for (std::uint64_t number = 0; number < frames;) {
    FrameSlot* slot = queue.front();
    if (slot == nullptr) {
      queue.wait(for_ever);
      continue;
    }
    EXPECT_EQ(slot->header.sequence, number++);
    queue.take();
    queue.pop();
  }
  producer.join();
  queue.wait(now_ns());
}

TEST(FrameQueue, uses_external_memory) {
  alignas(64) std::array<std::byte, 3 * 128> memory{};
  FrameQueue queue(3, FrameMemory({memory, 128}, frame_size));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(queue.acquire()->bytes.data(), memory.data() + i * 128);
  EXPECT_EQ(queue.acquire(), nullptr);
}

}  // namespace
}  // namespace takt::sensors
