/// Tests that the probe shows only frames of the chosen stage while two threads use it.

#include "pipeline/runtime/probe.hpp"

#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace takt::pipeline {
namespace {

using sensors::ElementType;
using sensors::FrameHeader;
using sensors::FrameType;

FrameType channels(std::size_t count) {
  return {ElementType::float32, {{"channel", count, {}}}, 10};
}

TEST(Probe, shows_nothing_without_a_request) {
  Probe probe;
  EXPECT_FALSE(probe.look());
  for (std::size_t stage = 0; stage < 4; ++stage) EXPECT_FALSE(probe.wants(stage));
  probe.choose(2, channels(16));
  EXPECT_FALSE(probe.look());
  EXPECT_TRUE(probe.wants(2));
  EXPECT_FALSE(probe.wants(1));
  probe.choose(std::nullopt);
  EXPECT_FALSE(probe.look());
  EXPECT_FALSE(probe.wants(2));
}

TEST(Probe, shows_one_frame_per_poll) {
  Probe probe;
  probe.choose(1, channels(16));
  (void)probe.look();
  std::vector<float> values(16, 2.5F);
  values[3] = std::nanf("");
  FrameHeader header{.sequence = 41};
  const sensors::FrameView frame{&header, std::as_bytes(std::span(values))};
  probe.show(1, frame);
  // No other frame until this one has been read.
  EXPECT_FALSE(probe.wants(1));
  header.sequence = 42;
  probe.show(1, frame);
  const auto row = probe.look();
  ASSERT_TRUE(row);
  const nlohmann::json shown = nlohmann::json::parse(*row);
  EXPECT_EQ(shown["sequence"], 41);
  EXPECT_EQ(shown["stage"], 1);
  EXPECT_EQ(shown["values"].size(), 16U);
  EXPECT_EQ(shown["values"][0], 2.5);
  EXPECT_TRUE(shown["values"][3].is_null());
  EXPECT_TRUE(probe.wants(1));
}

TEST(Probe, never_mixes_frames_or_stages) {
  Probe probe;
  std::atomic<bool> is_over{false};
  // All values of a frame of stage s are its number; stages differ in size.
  std::thread worker([&] {
    std::vector<float> values(400);
    for (std::uint64_t k = 0; !is_over; ++k)
      for (std::size_t stage = 0; stage < 3; ++stage) {
        if (!probe.wants(stage)) continue;
        const FrameHeader header{.sequence = 3 * (k % 1'000'000) + stage};
        std::ranges::fill(values, static_cast<float>(header.sequence));
        probe.show(stage, {&header, std::as_bytes(std::span(values).first(100 * (stage + 1)))});
      }
  });
  int seen = 0;
  for (int i = 0; seen < 300; ++i) {
    // Also during a frame.
    if (i % 7 == 0) {
      const std::size_t stage = static_cast<std::size_t>(i) / 7 % 3;
      probe.choose(stage, channels(100 * (stage + 1)));
    }
    const auto row = probe.look();
    std::this_thread::yield();
    if (!row) continue;
    ++seen;
    const nlohmann::json shown = nlohmann::json::parse(*row);
    const std::size_t stage = shown["stage"];
    EXPECT_EQ(shown["sequence"].get<std::uint64_t>() % 3, stage);
    ASSERT_EQ(shown["values"].size(), 100 * (stage + 1));
    for (const auto& value : shown["values"]) EXPECT_EQ(value, shown["sequence"].get<double>());
  }
  is_over = true;
  worker.join();
}

}  // namespace
}  // namespace takt::pipeline
