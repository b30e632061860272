/// Tests that the cache returns the plan of the same pipeline, host and settings, and no other one.

#include "pipeline/planning/run_cache.hpp"

#include <filesystem>

#include <gmock/gmock.h>

#include "tests/pipeline/config/load.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline::test {
namespace {

using takt::test::TemporaryFolder;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TEST(RunCache, finds_entries_by_kind_and_key) {
  const TemporaryFolder folder;
  const RunCache cache(folder / "runs");
  EXPECT_FALSE(cache.find(Kept::plan, "0123"));
  cache.keep(Kept::plan, "0123", "sky", "a plan\nof two lines");
  cache.keep(Kept::costs, "0123", "sky", "[]");
  cache.keep(Kept::links, "4567", "sky\nat night", "");
  EXPECT_EQ(cache.find(Kept::plan, "0123"), "a plan\nof two lines");
  EXPECT_EQ(cache.find(Kept::costs, "0123"), "[]");
  EXPECT_EQ(cache.find(Kept::links, "4567"), "");
  EXPECT_FALSE(cache.find(Kept::links, "0123"));
  EXPECT_THAT(cache.entries(), UnorderedElementsAre(Field(&RunCache::Entry::kind, Kept::plan),
                                                    Field(&RunCache::Entry::pipeline, "sky"),
                                                    Field(&RunCache::Entry::key, "4567")));
  cache.remove(RunCache::file_name(Kept::plan, "0123"));
  EXPECT_FALSE(cache.find(Kept::plan, "0123"));
  EXPECT_TRUE(cache.find(Kept::costs, "0123"));
}

TEST(RunCache, ignores_old_and_damaged_entries) {
  const TemporaryFolder folder;
  const RunCache cache(folder / "runs");
  cache.keep(Kept::plan, "old", "sky", "text");
  std::filesystem::last_write_time(
      cache.folder() / "old.plan",
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * 31));
  EXPECT_FALSE(cache.find(Kept::plan, "old"));
  folder.file("runs/other.plan", "takt run cache 0\nsky\ntext");
  folder.file("runs/damaged.plan", "takt run cache 1");
  folder.file("runs/other.file", "takt run cache 1\nsky\ntext");
  EXPECT_FALSE(cache.find(Kept::plan, "other"));
  EXPECT_FALSE(cache.find(Kept::plan, "damaged"));
  EXPECT_THAT(cache.entries(), IsEmpty());
  // The next new entry deletes the file of the old one.
  cache.keep(Kept::costs, "new", "sky", "text");
  EXPECT_FALSE(std::filesystem::exists(cache.folder() / "old.plan"));
}

TEST(RunCache, ignores_a_folder_that_is_not_writable) {
  const TemporaryFolder folder;
  folder.file("file", "x");
  const RunCache cache(folder / "file");
  cache.keep(Kept::plan, "0123", "sky", "text");
  EXPECT_FALSE(cache.find(Kept::plan, "0123"));
  EXPECT_THAT(RunCache("").entries(), IsEmpty());
}

TEST(CacheKey, differs_for_another_file_or_other_settings) {
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
