/// Does the cache return the plan of the same pipeline, host and settings, and no other?

#include "pipeline/planning/plan_cache.hpp"

#include <filesystem>

#include <gmock/gmock.h>

#include "tests/pipeline/config/load.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline::test {
namespace {

using takt::test::TemporaryFolder;
using ::testing::IsEmpty;
using ::testing::SizeIs;

SharedPlan plan_of(double hertz) {
  return {{.pipeline = "p",
           .scheduler = "single",
           .stages = {{.name = "in", .ranks = {0}}},
           .predicted_hz = hertz},
          "schedule: {}\n"};
}

TEST(PlanCache, finds_what_was_kept) {
  const TemporaryFolder folder;
  const PlanCache cache(folder / "plans");
  EXPECT_FALSE(cache.find("0123"));
  cache.keep("0123", plan_of(100));
  cache.keep("4567", plan_of(200));
  ASSERT_TRUE(cache.find("0123"));
  EXPECT_EQ(cache.find("0123")->summary.predicted_hz, 100);
  EXPECT_EQ(cache.find("0123")->schedule, "schedule: {}\n");
  EXPECT_THAT(cache.entries(), SizeIs(2));
  cache.remove("0123");
  EXPECT_FALSE(cache.find("0123"));
  EXPECT_THAT(cache.entries(), SizeIs(1));
}

TEST(PlanCache, has_neither_old_nor_damaged_entries) {
  const TemporaryFolder folder;
  const PlanCache cache(folder / "plans");
  cache.keep("old", plan_of(100));
  std::filesystem::last_write_time(
      cache.folder() / "old.plan",
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * 31));
  EXPECT_FALSE(cache.find("old"));
  folder.file("plans/other.plan", "takt plan cache 0\n{}\n");
  folder.file("plans/damaged.plan", "takt plan cache 1\n{\"summary\": 3");
  EXPECT_FALSE(cache.find("other"));
  EXPECT_FALSE(cache.find("damaged"));
  EXPECT_THAT(cache.entries(), IsEmpty());
  // The next one that is kept takes the old one's file away.
  cache.keep("new", plan_of(1));
  EXPECT_FALSE(std::filesystem::exists(cache.folder() / "old.plan"));
}

TEST(PlanCache, that_cannot_be_written_is_no_error) {
  const TemporaryFolder folder;
  folder.file("file", "x");
  const PlanCache cache(folder / "file");
  cache.keep("0123", plan_of(100));
  EXPECT_FALSE(cache.find("0123"));
  EXPECT_THAT(PlanCache("").entries(), IsEmpty());
}

TEST(CacheKey, is_another_one_for_another_file_or_other_settings) {
  const TemporaryFolder folder;
  const auto key = [&](const std::string& rate, const std::vector<std::string>& settings) {
    const std::string file = folder.file(
        "p.yaml", "sources: {s: {type: synthetic, axes: [time=4], rate: " + rate +
                      "}}\ntasks: {a: {kernel: pass, input: s}}\nsinks: {o: {type: 'null', input: a}}\n");
    return cache_key(load_pipeline(file), settings);
  };
  const std::string usual = key("1 Hz", {"--ranks", "2"});
  EXPECT_THAT(usual, SizeIs(16));
  EXPECT_EQ(key("1 Hz", {"--ranks", "2"}), usual);
  EXPECT_NE(key("2 Hz", {"--ranks", "2"}), usual);
  EXPECT_NE(key("1 Hz", {"--ranks", "3"}), usual);
  EXPECT_NE(key("1 Hz", {"--ranks2"}), usual);
}

}  // namespace
}  // namespace takt::pipeline::test
