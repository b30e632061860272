/// Tests which files of a run remain.

#include "pipeline/protocol/run_folder.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace takt::pipeline {
namespace {

namespace fs = std::filesystem;

TEST(RunFolder, is_deleted_with_its_contents_when_the_run_has_ended) {
  fs::path path;
  {
    const RunFolder folder;
    path = folder.path();
    std::ofstream(path / "segment") << "data";
    EXPECT_TRUE(fs::is_directory(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(RunFolder, of_a_killed_launcher_is_removed_by_the_next_one) {
  const fs::path parent = RunFolder().path().parent_path();
  const fs::path abandoned = parent / "takt-run-abandoned-by-a-test";
  fs::create_directory(abandoned);
  std::ofstream(abandoned / "segment") << "data";
  fs::last_write_time(abandoned, fs::file_time_type::clock::now() - std::chrono::hours{1});
  const RunFolder next;
  EXPECT_FALSE(fs::exists(abandoned));
}

TEST(RunFolder, in_use_is_kept_at_any_age) {
  const RunFolder in_use;
  fs::last_write_time(in_use.path(), fs::file_time_type::clock::now() - std::chrono::hours{1});
  const RunFolder next;
  EXPECT_TRUE(fs::exists(in_use.path()));
}

TEST(LockedFolder, of_a_killed_process_is_removed_only_by_the_next_of_its_kind) {
  const RunFolder parent;
  const auto abandon = [&](const char* name) {
    fs::create_directory(parent.path() / name);
    std::ofstream(parent.path() / name / "output") << "data";
    fs::last_write_time(parent.path() / name, fs::file_time_type::clock::now() - std::chrono::hours{1});
  };
  abandon("trial-abandoned");
  abandon("other-abandoned");
  const LockedFolder lives(parent.path(), "trial-");
  fs::last_write_time(lives.path(), fs::file_time_type::clock::now() - std::chrono::hours{1});
  const LockedFolder next(parent.path(), "trial-");
  EXPECT_TRUE(fs::exists(lives.path()));
  EXPECT_FALSE(fs::exists(parent.path() / "trial-abandoned"));
  EXPECT_TRUE(fs::exists(parent.path() / "other-abandoned"));
  remove_unless_locked(next.path());
  EXPECT_TRUE(fs::exists(next.path()));
}

}  // namespace
}  // namespace takt::pipeline
