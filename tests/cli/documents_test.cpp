#include <filesystem>
#include <regex>

#include <gmock/gmock.h>

#include "core/formats/graph_yaml.hpp"
#include "core/generators.hpp"
#include "pipeline/stages/header_tables.hpp"
#include "tests/support/program.hpp"

// What docs/reference/graphs.md, cli.md, gnuradio.md, lofar.md, send.md, spead.md and vdif.md show: it runs
// and loads as it stands there.

namespace takt {
namespace {

using ::testing::HasSubstr;

std::string page(const std::string& name) {
  return test::read_file(std::filesystem::path(TAKT_SOURCE_DIR) / "docs" / "reference" / name);
}

/// The code blocks of one language.
std::vector<std::string> blocks(const std::string& text, const std::string& language) {
  const std::regex block("```" + language + "\n([^`]*)```");
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), block), end; it != end; ++it)
    found.push_back((*it)[1]);
  EXPECT_FALSE(found.empty());
  return found;
}

TEST(Documents, show_commands_that_run) {
  for (const char* name :
       {"graphs.md", "cli.md", "gnuradio.md", "lofar.md", "send.md", "spead.md", "vdif.md"}) {
    const test::TemporaryFolder folder;
    for (const std::string& block : blocks(page(name), "sh")) {
      const std::string script =
          "set -e; cd '" + (folder / "").string() + "'; takt() { " TAKT_PROGRAM " \"$@\"; }\n" + block;
      test::Program shell({"sh", "-c", script});
      const test::Result result = shell.wait();
      EXPECT_EQ(result.exit_code, 0) << name << "\n" << block << result.err;
    }
  }
}

TEST(Documents, show_graphs_that_load) {
  for (const std::string& block : blocks(page("graphs.md"), "yaml"))
    EXPECT_NO_THROW((void)graph_from_yaml(block, "graphs.md"));
}

TEST(Documents, show_a_schedule_that_is_valid) {
  const test::TemporaryFolder folder;
  const std::string schedule = blocks(page("cli.md"), "yaml").front();
  const test::Result result = test::takt({"verify", folder.file("schedule.yaml", schedule)});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST(Documents, name_every_generator_with_its_parameters) {
  const std::string text = page("graphs.md");
  for (const Generator& generator : all_generators()) {
    const std::size_t row = text.find("| `" + std::string(generator.name) + "` |");
    ASSERT_NE(row, std::string::npos) << generator.name;
    const std::string line = text.substr(row, text.find('\n', row) - row);
    for (const GeneratorParameter& parameter : generator.parameters)
      EXPECT_THAT(line, HasSubstr(parameter.name));
  }
  for (const GeneratorParameter& parameter : weight_parameters())
    EXPECT_THAT(text, HasSubstr("| `" + std::string(parameter.name) + "` |"));
}

TEST(Documents, show_the_keyword_table_of_each_format) {
  for (const sensors::HeaderKeywords* each : pipeline::all_header_keywords())
    EXPECT_THAT(page(std::string(each->page)), HasSubstr(to_markdown(*each))) << each->format;
}

}  // namespace
}  // namespace takt
