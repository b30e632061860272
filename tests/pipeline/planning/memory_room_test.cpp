/// Tests that a run is refused when its frames do not fit the memory.

#include "pipeline/planning/memory_room.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

TEST(MemoryRoom, is_computed_for_the_ranks_of_one_node) {
  const RunPlan plan{.memory_bytes = {gibibyte, 2 * gibibyte, 4 * gibibyte}};
  EXPECT_NO_THROW(check_memory_room(plan, {0, 1, 2}, Bytes{7 * gibibyte}, "a"));
  EXPECT_NO_THROW(check_memory_room(plan, {0, 1}, Bytes{3 * gibibyte}, "a"));
  EXPECT_THAT(
      ([&] {
        check_memory_room(plan, {0, 2}, Bytes{3 * gibibyte}, "a");
      }),
      ThrowsMessage<ConfigError>(AllOf(HasSubstr("5 GiB of memory on host 'a'"),
                                       HasSubstr("(rank 0: 1 GiB, rank 2: 4 GiB), which has 3 GiB free"))));
}

TEST(MemoryRoom, is_checked_before_the_stream_starts) {
  const takt::test::TemporaryFolder folder;
  const std::string file = folder.file("large.yaml", R"(name: large
sources: {in: {type: synthetic, element: int8, axes: [x=1073741824], rate: 1 Hz}}
tasks: {a: {kernel: pass, input: in}, b: {kernel: pass, input: a}}
sinks: {out: {type: null, input: b}}
scheduler: {name: basic_fo}
deployment: {ranks: 2, depth: 1000, machine: "logp:P=2,L=1,o=1,g=1"}
)");
  const std::string cost = "{cost: 1 s, low: 1 s, high: 1 s, runs: 5}";
  const std::string profile = folder.file(
      "profile.yaml", "costs: {in: " + cost + ", a: " + cost + ", b: " + cost + ", out: " + cost + "}\n");
  for (const bool is_dry : {false, true}) {
    std::vector<std::string> words{"run", file, "--profile", profile};
    if (is_dry) words.emplace_back("--dry-run");
    const takt::test::Result result = takt::test::takt(words);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_THAT(result.err, HasSubstr("the frames in flight need")) << result.err;
  }
}

}  // namespace
}  // namespace takt::pipeline
