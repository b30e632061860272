/// Tests host lists in the format of Slurm, and scripts for its sbatch.

#include "pipeline/launch/jobs/slurm.hpp"

#include <chrono>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/text/shell_words.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(HostList, is_expanded_like_scontrol_show_hostnames) {
  EXPECT_THAT(expand_host_list("gpu2"), ElementsAre("gpu2"));
  EXPECT_THAT(expand_host_list("n[1-3,07],gpu2"), ElementsAre("n1", "n2", "n3", "n07", "gpu2"));
  EXPECT_THAT(expand_host_list("n[008-010]"), ElementsAre("n008", "n009", "n010"));
  EXPECT_THAT(expand_host_list("r[1-2]n[1,3]"), ElementsAre("r1n1", "r1n3", "r2n1", "r2n3"));
  EXPECT_THAT(expand_host_list("a[1-2].site.org"), ElementsAre("a1.site.org", "a2.site.org"));
  // The largest number.
  EXPECT_THAT(expand_host_list("n[18446744073709551615]"), ElementsAre("n18446744073709551615"));
}

TEST(HostList, of_random_ranges_names_every_host_once_in_order) {
  Random random(5);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::string> expected, entries;
    for (std::uint64_t entry = 0; entry <= random.below(4); ++entry) {
      const std::string stem(1 + random.below(3), static_cast<char>('a' + random.below(26)));
      std::vector<std::string> ranges;
      for (std::uint64_t range = 0; range <= random.below(3); ++range) {
        const std::uint64_t width = 1 + random.below(4), first = random.below(100), length = random.below(12);
        ranges.push_back(length == 0 ? fmt::format("{:0{}}", first, width)
                                     : fmt::format("{:0{}}-{}", first, width, first + length));
        for (std::uint64_t i = 0; i <= length; ++i) {
          std::string digits = std::to_string(first + i);
          while (digits.size() < std::max<std::size_t>(width, std::to_string(first).size()))
            digits = "0" + digits;
          expected.push_back(stem + digits);
        }
      }
      entries.push_back(fmt::format("{}[{}]", stem, fmt::join(ranges, ",")));
    }
    const std::string text = fmt::format("{}", fmt::join(entries, ","));
    EXPECT_EQ(expand_host_list(text), expected) << text;
  }
}

TEST(HostList, that_is_invalid_is_refused) {
  for (const char* text : {"", ",", "a,", "n[1-3", "n1-3]", "n[]", "n[3-1]", "n[a]", "n[1-]",
                           "n[1-99999999999]", "n[1-1000]m[1-1000]", "n[1-40000,1-40000]", "[1-3],,b"})
    EXPECT_THROW((void)expand_host_list(text), ConfigError) << text;
}

TEST(SlurmTime, counts_whole_minutes_rounded_up) {
  using namespace std::chrono_literals;
  EXPECT_EQ(slurm_time(1ns), "0-00:01:00");
  EXPECT_EQ(slurm_time(90min), "0-01:30:00");
  EXPECT_EQ(slurm_time(26h + 30min + 1s), "1-02:31:00");
}

TEST(BatchScript, outlives_nodes_when_the_run_can_restart) {
  EXPECT_THAT(
      batch_script({.name = "a", .request = {}, .outlives_nodes = true, .folder = "/", .command = {"b"}}),
      ::testing::HasSubstr("\n#SBATCH --no-kill\n"));
  EXPECT_THAT(batch_script({.name = "a", .request = {}, .folder = "/", .command = {"b"}}),
              ::testing::Not(::testing::HasSubstr("no-kill")));
}

TEST(BatchScript, requests_nodes_and_becomes_the_run) {
  const std::string script =
      batch_script({.name = "two words",
                    .request = {.partition = "sky", .nodes = 2, .time = std::chrono::hours{2}},
                    .ranks = 5,
                    .folder = "/data/run 1",
                    .command = {"/usr/bin/takt", "run", "it's.yaml"}});
  EXPECT_EQ(script,
            "#!/bin/bash\n"
            "#SBATCH --job-name='two words'\n"
            "#SBATCH --partition=sky\n"
            "#SBATCH --nodes=2\n"
            "#SBATCH --ntasks=5\n"
            "#SBATCH --ntasks-per-node=3\n"
            "#SBATCH --time=0-02:00:00\n"
            "#SBATCH --chdir='/data/run 1'\n"
            "#SBATCH --signal=B:TERM@30\n"
            "exec /usr/bin/takt run 'it'\\''s.yaml'\n");
}

TEST(Submission, without_sbatch_is_refused) {
  const std::string path = std::getenv("PATH");
  ASSERT_EQ(::setenv("PATH", "/nowhere", 1), 0);
  try {
    (void)submit("#!/bin/sh\n");
    FAIL() << "there is no sbatch";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("'sbatch'"), HasSubstr("with Slurm's commands")));
  }
  ::setenv("PATH", path.c_str(), 1);
}

TEST(ShellWords, are_unchanged_by_a_shell) {
  Random random(3);
  std::vector<std::string> words{"", "a b", "it's", "$HOME", "`x`", "*", "a\\b", "\"q\"", "-n", "x;y&z|w"};
  for (int i = 0; i < 20; ++i) {
    std::string word;
    for (std::uint64_t k = 0; k <= random.below(12); ++k) word += static_cast<char>(32 + random.below(95));
    words.push_back(word);
  }
  const auto result = takt::test::Program({"sh", "-c", "printf '[%s]\\n' " + shell_line(words)}).wait();
  std::string expected;
  for (const std::string& word : words) expected += "[" + word + "]\n";
  EXPECT_EQ(result.out, expected);
}

}  // namespace
}  // namespace takt::pipeline
