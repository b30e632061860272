/// Tests that benches remove `--progress` from their arguments, and show their progress.

#include "bench/progress.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace takt::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::ExitedWithCode;

/// Returns the style, and the remaining arguments.
std::pair<ProgressStyle, std::vector<std::string>> taken(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  const ProgressStyle style = take_progress_style(count, arguments.data());
  return {style, {arguments.begin(), arguments.begin() + count}};
}

TEST(BenchProgress, is_removed_from_the_arguments_at_any_position) {
  EXPECT_EQ(taken({"bench"}).first, ProgressStyle::automatic);
  const auto [plain, rest] = taken({"bench", "--progress", "plain", "folder", "--benchmark_filter=x"});
  EXPECT_EQ(plain, ProgressStyle::plain);
  EXPECT_THAT(rest, ElementsAre("bench", "folder", "--benchmark_filter=x"));
  const auto [none, others] = taken({"bench", "folder", "--progress=none"});
  EXPECT_EQ(none, ProgressStyle::none);
  EXPECT_THAT(others, ElementsAre("bench", "folder"));
  EXPECT_THAT(taken({"bench", "--progressive", "--progress=auto"}).second,
              ElementsAre("bench", "--progressive"));
}

TEST(BenchProgressDeathTest, exits_with_2_and_suggests_the_nearest_style) {
  EXPECT_EXIT((void)taken({"bench", "--progress", "plan"}), ExitedWithCode(2), "did you mean 'plain'");
  EXPECT_EXIT((void)taken({"bench", "--progress"}), ExitedWithCode(2), "--progress");
}

TEST(BenchProgress, writes_nothing_about_short_steps_or_with_style_none) {
  for (const ProgressStyle style : {ProgressStyle::plain, ProgressStyle::none}) {
    ::testing::internal::CaptureStderr();
    Steps steps(style, 3);
    for (int i = 0; i < 3; ++i) steps.begin("step");
    steps.clear();
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(said, "");
  }
}

}  // namespace
}  // namespace takt::bench
