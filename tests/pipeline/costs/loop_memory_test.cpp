/// Does a task that is measured alone meet the frames that a rank's loop leaves in the caches?

#include "pipeline/costs/loop_memory.hpp"

#include <array>

#include <gtest/gtest.h>

#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

constexpr std::size_t frame_bytes = 4096;

/// s, a, b, c, o: frames of 4 KiB.
Pipeline chain_of_three() {
  return load(R"(
sources: {s: {type: synthetic, element: float32, axes: [sample=1024]}}
tasks:
  a: {kernel: pass, input: s}
  b: {kernel: pass, input: a}
  c: {kernel: pass, input: b}
sinks: {o: {type: 'null', input: c}}
)");
}

std::size_t frames_of_others(const LoopMemory& memory, std::size_t measured) {
  return memory.bytes_of_others(std::array{measured}) / frame_bytes;
}

TEST(LoopMemory, gives_outputs_the_places_that_a_rank_gives_them) {
  const Pipeline pipeline = chain_of_three();
  LoopMemory memory(pipeline, Tiling(pipeline.stages.size()));
  // Where c's output is made, that of a was; b reads the one and writes the other.
  EXPECT_EQ(memory.frame(1).bytes.data(), memory.frame(3).bytes.data());
  EXPECT_NE(memory.frame(1).bytes.data(), memory.frame(2).bytes.data());
  EXPECT_NE(memory.frame(0).bytes.data(), memory.frame(2).bytes.data());
  EXPECT_FALSE(memory.has_frame(4));
}

TEST(LoopMemory, goes_through_what_the_other_stages_go_through) {
  const Pipeline pipeline = chain_of_three();
  LoopMemory memory(pipeline, Tiling(pipeline.stages.size()));
  // Beside a: b reads a's and writes its own, c writes (the sink reads the same), the source writes.
  EXPECT_EQ(frames_of_others(memory, 1), 4U);
  // Beside b: c reads b's and writes, then the source writes, and a.
  EXPECT_EQ(frames_of_others(memory, 2), 4U);
  // 4096 bytes in 20 ns are too fast for any core, in 21 they are not.
  memory.learn(0, Time{21});
  EXPECT_EQ(frames_of_others(memory, 1), 4U);
  memory.learn(0, Time{20});
  EXPECT_EQ(frames_of_others(memory, 1), 3U);
  // Beside c nothing but the sink reads c's.
  EXPECT_EQ(frames_of_others(memory, 3), 4U);
  memory.learn(4, Time{20});
  EXPECT_EQ(frames_of_others(memory, 3), 3U);
}

TEST(LoopMemory, leaves_frames_that_come_and_go_as_messages_to_their_stage) {
  const Pipeline pipeline = chain_of_three();
  LoopMemory memory(pipeline, Tiling(pipeline.stages.size()));
  std::array<std::byte, frame_bytes> message{};
  memory.put_outside(1, message);
  EXPECT_EQ(memory.frame(1).bytes.data(), message.data());
  // b reads a's, which is no other task's any more; c reads b's and writes, the source writes.
  EXPECT_EQ(frames_of_others(memory, 1), 3U);
  memory.take_back(1);
  EXPECT_NE(memory.frame(1).bytes.data(), message.data());
  EXPECT_EQ(frames_of_others(memory, 1), 4U);
}

}  // namespace
}  // namespace takt::pipeline::test
