/// Tests docs/explanation/logp.md: its machine loads, its commands run, and its pictures are their output.

#include <filesystem>
#include <regex>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "logp/machine_yaml.hpp"
#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using ::testing::HasSubstr;

class LogpPage : public ::testing::Test {
 protected:
  const std::filesystem::path docs_ = std::filesystem::path(TAKT_SOURCE_DIR) / "docs";
  const std::string page_ = read_file(docs_ / "explanation" / "logp.md");

  /// Returns the code blocks of one language.
  [[nodiscard]] std::vector<std::string> blocks(const std::string& language) const {
    const std::regex block("```" + language + "\n([^`]*)```");
    std::vector<std::string> found;
    for (std::sregex_iterator it(page_.begin(), page_.end(), block), end; it != end; ++it)
      found.push_back((*it)[1]);
    EXPECT_FALSE(found.empty());
    return found;
  }
};

TEST_F(LogpPage, shows_a_machine_that_loads) {
  for (const std::string& block : blocks("yaml"))
    EXPECT_NO_THROW((void)logp::machine_from_yaml(block, "logp.md"));
}

TEST_F(LogpPage, shows_commands_that_run_and_their_pictures) {
  const TemporaryFolder folder;
  for (const std::string& block : blocks("sh")) {
    Program shell(
        {"sh", "-c",
         "set -e; cd '" + (folder / "").string() + "'; takt() { " TAKT_PROGRAM " \"$@\"; }\n" + block});
    const Result result = shell.wait();
    ASSERT_EQ(result.exit_code, 0) << block << result.err;
  }
  for (const char* picture : {"logp-greedy.svg", "logp-basic_fo.svg"})
    EXPECT_EQ(read_file(docs_ / "pictures" / picture), read_file(folder / picture))
        << picture << " is out of date";
}

TEST_F(LogpPage, states_the_periods_of_its_schedules) {
  const TemporaryFolder folder;
  const std::string graph = folder.file("fork.yaml",
                                        "tasks:\n  - {name: split, work: 2}\n  - {name: left, work: 4}\n"
                                        "  - {name: right, work: 3}\n  - {name: merge, work: 2}\n"
                                        "edges:\n  - {from: split, to: left}\n  - {from: split, to: right}\n"
                                        "  - {from: left, to: merge}\n  - {from: right, to: merge}\n");
  for (const auto& [scheduler, period] :
       {std::pair{"greedy", 16}, std::pair{"basic_fo", 7}, std::pair{"single", 11}}) {
    const Result result = takt(
        {"plan", graph, "--machine", "logp:P=2,L=2,o=1,g=3", "--scheduler", scheduler, "--format", "json"});
    EXPECT_EQ(nlohmann::json::parse(result.out)["period"], period) << scheduler;
  }
  EXPECT_THAT(page_, HasSubstr("**the period is 16**"));
  EXPECT_THAT(page_, HasSubstr("**the period is 7**"));
}

}  // namespace
}  // namespace takt::test
