/// Tests how much a run writes, and whether it fits.

#include "pipeline/config/space.hpp"

#include <gmock/gmock.h>

#include "pipeline/program/layout.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Returns a pipeline of 4 KiB frames at 100 Hz; its second sink gets 1 KiB for every 10 frames.
std::string pipeline_at(const std::string& rate, const std::string& first = "a.raw") {
  return "sources: {s: {type: synthetic, axes: [time=4, channel=256], rate: " + rate +
         "}}\n"
         "tasks: {ten: {kernel: integrate, input: s, factor: 40}}\n"
         "sinks:\n"
         "  all: {type: raw, input: s, path: " +
         first +
         "}\n"
         "  few: {type: raw, input: ten, path: b.raw}\n";
}

TEST(Space, is_computed_from_rate_size_and_length) {
  const Pipeline pipeline = load(pipeline_at("100 Hz"));
  const std::size_t all = 2, few = 3;
  ASSERT_EQ(pipeline.stages[all].name, "all");
  EXPECT_EQ(bytes_written(pipeline, all, {.duration = seconds(10)}), 1000 * 4096.0);
  EXPECT_EQ(bytes_written(pipeline, few, {.duration = seconds(10)}), 100 * 1024.0);
  EXPECT_EQ(bytes_written(pipeline, all, {.frames = 50, .duration = seconds(10)}), 50 * 4096.0);
  EXPECT_EQ(bytes_written(pipeline, few, {.frames = 50}), 5 * 1024.0);
  EXPECT_EQ(bytes_written(pipeline, all, {}), std::nullopt);
  // A source without a rate makes the number of frames unknown.
  EXPECT_EQ(bytes_written(load(pipeline_at("0")), all, {.duration = seconds(10)}), std::nullopt);
}

TEST(Space, that_is_insufficient_is_an_error_at_the_path) {
  const Pipeline pipeline = load(pipeline_at("1 GHz"));
  ErrorList errors;
  check_space(pipeline, {.duration = hours(100)}, errors);
  ASSERT_EQ(errors.size(), 1u);
  // 4 KiB and 0.1 KiB, 1e9 times per second, for 3.6e5 s: 1.5e18 bytes.
  EXPECT_THAT(errors.messages()[0], HasSubstr(":4:36: "));
  EXPECT_THAT(errors.messages()[0], HasSubstr("to be written by 'all', 'few' exceed"));
}

TEST(Space, is_required_for_spill_files) {
  const std::string spilling =
      "sources: {s: {type: synthetic, axes: [time=1024], rate: 100 Hz}}\n"
      "sinks: {out: {type: null, input: s, backlog: {policy: spill, spill: "
      "1000000 GiB, folder: /tmp}}}\n";
  ErrorList errors;
  check_space(load(spilling), {}, errors);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_THAT(errors.messages()[0], HasSubstr("1000000 GiB to be written by 'out' exceed"));
}

TEST(Space, for_spill_files_is_in_an_existing_folder) {
  ErrorList errors;
  check_space(load("sources: {s: {type: synthetic, axes: [time=1024], rate: 100 Hz}}\n"
                   "sinks: {out: {type: null, input: s, backlog: {policy: spill, folder: /nowhere}}}\n"),
              {}, errors);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_THAT(errors.messages()[0],
              HasSubstr(":2:9: 'out': 'backlog': the 'folder' /nowhere does not exist"));
}

TEST(Space, in_memory_is_computed_for_backlogs_and_transient_buffers) {
  // Frames of 4 KiB: 20 that wait and two in flight; those of one second, and one more.
  const Pipeline pipeline = load(
      "sources: {s: {type: synthetic, axes: [time=1024], rate: 100 Hz, backlog: {policy: block, depth: "
      "20}}}\n"
      "sinks: {out: {type: raw, input: s, path: a.raw, transient: {before: 1 s}}}\n");
  EXPECT_EQ(extra_memory(pipeline.stages[0]), Bytes{22 * 4096});
  EXPECT_EQ(extra_memory(pipeline.stages[1]), Bytes{101 * 4096});
}

TEST(Space, is_not_required_for_devices_and_runs_of_unknown_length) {
  ErrorList errors;
  check_space(load(pipeline_at("1 GHz", "/dev/null")), {}, errors);
  EXPECT_THAT(errors.messages(), IsEmpty());
}

}  // namespace
}  // namespace takt::pipeline::test
