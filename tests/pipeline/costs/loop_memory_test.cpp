/// Tests that a task measured alone finds the caches as the loop of a rank leaves them.

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
  return memory.bytes_of_other_stages(std::array{measured}) / frame_bytes;
}

TEST(LoopMemory, places_outputs_like_a_rank) {
  const Pipeline pipeline = chain_of_three();
  LoopMemory memory(pipeline, Tiling(pipeline.stages.size()));
  // The output of c is in the memory of a's; b reads one place and writes the other.
  EXPECT_EQ(memory.frame(1).bytes.data(), memory.frame(3).bytes.data());
  EXPECT_NE(memory.frame(1).bytes.data(), memory.frame(2).bytes.data());
  EXPECT_NE(memory.frame(0).bytes.data(), memory.frame(2).bytes.data());
  EXPECT_FALSE(memory.has_frame(4));
}

TEST(LoopMemory, touches_the_frames_of_the_other_stages) {
  const Pipeline pipeline = chain_of_three();
  LoopMemory memory(pipeline, Tiling(pipeline.stages.size()));
  // Other than a: b reads a's output and writes its own, c writes (the sink reads it), the source writes.
  EXPECT_EQ(frames_of_others(memory, 1), 4U);
  // Other than b: c reads b's output and writes its own, then the source and a write.
  EXPECT_EQ(frames_of_others(memory, 2), 4U);
  // 4096 bytes in 20 ns are too fast for any core; in 21 ns they are not.
  memory.learn(0, Time{21});
  EXPECT_EQ(frames_of_others(memory, 1), 4U);
  memory.learn(0, Time{20});
  EXPECT_EQ(frames_of_others(memory, 1), 3U);
  // Other than c, only the sink reads c's output.
  EXPECT_EQ(frames_of_others(memory, 3), 4U);
  memory.learn(4, Time{20});
  EXPECT_EQ(frames_of_others(memory, 3), 3U);
}

}  // namespace
}  // namespace takt::pipeline::test
