/// Does a neighbour go through the loop's frames when it should, and which costs are measured beside one?

#include "pipeline/profiling/neighbour.hpp"

#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>

#include "core/allowed_processors.hpp"
#include "core/kept_affinity.hpp"
#include "pipeline/profiling/profile.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

/// s, a, b, o.
Pipeline chain_on(std::size_t ranks, std::size_t samples = 1024) {
  return load(fmt::format(R"(
sources: {{s: {{type: synthetic, element: float32, axes: [sample={}]}}}}
tasks:
  a: {{kernel: pass, input: s}}
  b: {{kernel: pass, input: a}}
sinks: {{o: {{type: 'null', input: b}}}}
deployment: {{ranks: {}}}
)",
                          samples, ranks));
}

void await_rounds(const Neighbour& neighbour, std::size_t rounds) {
  while (neighbour.rounds() < rounds) std::this_thread::yield();
}

TEST(Neighbour, goes_through_the_frames_of_the_loop_while_it_is_at_work) {
  const Pipeline pipeline = chain_on(2);
  LoopMemory memory(pipeline, Tiling(pipeline.stages.size()));
  // The source writes, a reads that and writes its own, b reads that and writes its own, which the sink
  // reads.
  EXPECT_EQ(memory.frames_of_loop().size(), 3U);
  memory.frame(0).bytes.front() = std::byte{7};
  {
    Neighbour neighbour(memory, Time{1000}, allowed_processors().back());
    EXPECT_EQ(neighbour.rounds(), 0U);
    for (int turn = 0; turn < 3; ++turn) {
      const std::size_t before = neighbour.rounds();
      neighbour.work();
      await_rounds(neighbour, before + 2);
      neighbour.rest();
      // Whoever rests has stopped.
      const std::size_t after = neighbour.rounds();
      std::this_thread::yield();
      EXPECT_EQ(neighbour.rounds(), after);
    }
    // One that is at work ends, too, and one whose frame takes forever.
    neighbour.work();
  }
  Neighbour(memory, std::chrono::hours{1}, allowed_processors().front()).work();
  EXPECT_EQ(memory.frame(0).bytes.front(), std::byte{7});
}

TEST(Neighbour, may_have_nothing_to_go_through) {
  const Pipeline pipeline = chain_on(2);
  LoopMemory memory(pipeline, Tiling(pipeline.stages.size())), same(pipeline, Tiling(pipeline.stages.size()));
  memory.learn(0, Time{1});
  memory.learn(1, Time{1});
  memory.learn(2, Time{1});
  memory.learn(3, Time{1});
  EXPECT_TRUE(memory.frames_of_loop().empty());
  same.learn_from(memory);
  EXPECT_TRUE(same.frames_of_loop().empty());
  Neighbour neighbour(memory, Time{0}, allowed_processors().back());
  neighbour.work();
  await_rounds(neighbour, 1);
  neighbour.rest();
}

std::vector<bool> have_beside(const Pipeline& pipeline, ProfileOptions options) {
  options.budget = std::chrono::milliseconds{1};
  std::vector<bool> have;
  for (const StageCost& cost : profile(pipeline, options)) {
    EXPECT_GT(cost.runs, 0U) << cost.stage;
    EXPECT_GT(cost.beside.value_or(Time{1}), Time{0}) << cost.stage;
    have.push_back(cost.beside.has_value());
  }
  return have;
}

TEST(Profile, measures_kernels_alone_and_beside_a_neighbour) {
  const std::vector<bool> none(4, false);
  const ProfileOptions with{.has_neighbour = true};
  EXPECT_EQ(have_beside(chain_on(2), {}), none);
  EXPECT_EQ(have_beside(chain_on(1), with), none);
  EXPECT_EQ(have_beside(chain_on(2), {.checks_memory = true, .has_neighbour = true}), none);
  const std::size_t processors = allowed_processors().size();
  if (processors > 1) {
    const std::vector<bool> kernels{false, true, true, false};
    EXPECT_EQ(have_beside(chain_on(2), with), kernels);
    // Where kernels hand each other tiles.
    EXPECT_EQ(have_beside(chain_on(2, 4 << 20), with), kernels);
    // The thread may go where it might before.
    EXPECT_EQ(allowed_processors().size(), processors);
  }
  const KeptAffinity kept;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(allowed_processors().front(), &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(have_beside(chain_on(2), with), none);
}

}  // namespace
}  // namespace takt::pipeline::test
