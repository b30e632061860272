/// Tests whether limits of processor time by control groups are found.

#include "core/system/processor_limit.hpp"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/program.hpp"

namespace takt {
namespace {

namespace fs = std::filesystem;

class ProcessorLimit : public ::testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    const fs::path path = folder_ / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  }
  [[nodiscard]] std::optional<double> limit() const {
    return processor_limit(folder_ / "groups", folder_ / "mount");
  }

  test::TemporaryFolder folder_;
};

TEST_F(ProcessorLimit, is_that_of_the_process_s_group_in_both_versions) {
  EXPECT_EQ(limit(), std::nullopt);
  write("groups", "4:cpuset:/slow\n3:cpu,cpuacct:/slow");
  write("mount/cpuset/slow/cpu.cfs_quota_us", "100");
  write("mount/cpu/slow/cpu.cfs_quota_us", "-1");
  write("mount/cpu/slow/cpu.cfs_period_us", "2000");
  EXPECT_EQ(limit(), std::nullopt);
  write("mount/cpu/slow/cpu.cfs_quota_us", "1000");
  EXPECT_EQ(limit(), 0.5);

  write("groups", "0::/slow/inner");
  write("mount/slow/inner/cpu.max", "max 100000");
  EXPECT_EQ(limit(), std::nullopt);
  write("mount/slow/inner/cpu.max", "150000 100000");
  EXPECT_EQ(limit(), 1.5);
}

TEST_F(ProcessorLimit, is_the_least_of_all_groups_that_contain_the_process) {
  write("groups", "0::/outer/inner");
  write("mount/outer/inner/cpu.max", "50000 100000");
  write("mount/outer/cpu.max", "20000 100000");
  EXPECT_EQ(limit(), 0.2);
  write("mount/outer/cpu.max", "90000 100000");
  EXPECT_EQ(limit(), 0.5);
}

}  // namespace
}  // namespace takt
