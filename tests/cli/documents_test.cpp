#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>

#include <gmock/gmock.h>

#include "core/formats/graph_yaml.hpp"
#include "core/graphs/generators.hpp"
#include "pipeline/stages/header_tables.hpp"
#include "tests/support/program.hpp"

// Tests that the examples of docs/reference/graphs.md, cli.md, gnuradio.md, lofar.md, send.md, spead.md and
// vdif.md run and load as printed.

namespace takt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string page(const std::string& name) {
  return test::read_file(std::filesystem::path(TAKT_SOURCE_DIR) / "docs" / "reference" / name);
}

/// Returns the code blocks of one language.
std::vector<std::string> blocks(const std::string& text, const std::string& language) {
  const std::regex block("```" + language + "\n([^`]*)```");
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), block), end; it != end; ++it)
    found.push_back((*it)[1]);
  EXPECT_FALSE(found.empty());
  return found;
}

std::filesystem::path documents() {
  return std::filesystem::path(TAKT_SOURCE_DIR) / "docs";
}

/// A command of a page, as the shell ran it, and its output.
struct Shown {
  std::vector<std::string> words;
  std::string out;

  [[nodiscard]] std::string all() const {
    std::string text = "takt";
    for (const std::string& word : words) text += ' ' + word;
    return text;
  }
  [[nodiscard]] bool has(const std::string& word) const {
    return std::ranges::find(words, word) != words.end();
  }
  /// Returns the value after an option, or `otherwise`.
  [[nodiscard]] std::string value(const std::string& option, const std::string& otherwise = "") const {
    const auto found = std::ranges::find(words, option);
    return found == words.end() || found + 1 == words.end() ? otherwise : *(found + 1);
  }
};

std::size_t count_of(const std::string& list) {
  return 1 + static_cast<std::size_t>(std::ranges::count(list, ','));
}

/// Runs `takt` with these words in this folder.
test::Result takt_in(const std::filesystem::path& folder, const std::vector<std::string>& words) {
  std::vector<std::string> command{"sh", "-c", "cd \"$0\" && exec " TAKT_PROGRAM " \"$@\"", folder.string()};
  command.insert(command.end(), words.begin(), words.end());
  return test::Program(command).wait();
}

/// Checks the properties that every command of a kind guarantees, independent of its page.
void expect_result(const Shown& shown, const std::filesystem::path& folder) {
  SCOPED_TRACE(shown.all());
  const std::string& verb = shown.words.at(0);
  const std::string file = shown.value("--output", shown.value("-o"));
  const std::string written = file.empty() ? "" : test::read_file(folder / file);
  const std::string& result = file.empty() ? shown.out : written;
  EXPECT_FALSE(result.empty());
  if (file.ends_with(".svg")) {
    EXPECT_THAT(result, HasSubstr("<svg"));
  }
  if (file.ends_with(".html")) {
    EXPECT_THAT(result, AllOf(HasSubstr("<html"), HasSubstr("</html>")));
  }
  if (verb == "plan" && !file.empty() && !file.ends_with(".svg")) {
    const test::Result judged = test::takt({"verify", (folder / file).string()});
    EXPECT_EQ(judged.exit_code, 0) << judged.out << judged.err;
  } else if (verb == "plan" && file.empty()) {
    EXPECT_THAT(result, HasSubstr("valid"));
  } else if (verb == "verify") {
    EXPECT_THAT(result, HasSubstr("valid"));
  } else if (verb == "simulate") {
    EXPECT_THAT(result, HasSubstr(shown.value("--frames")));
  } else if (verb == "compare" && file.empty()) {
    // A header, and one line per graph and scheduler.
    EXPECT_GT(std::ranges::count(result, '\n'), 2);
  } else if (verb == "graph") {
    const test::Result info = takt_in(folder, {"graph", file.empty() ? shown.words.at(1) : file, "--info"});
    EXPECT_EQ(info.exit_code, 0) << info.err;
    EXPECT_THAT(info.out, HasSubstr("tasks"));
  } else if (verb == "send") {
    const std::size_t lanes = shown.has("--traces")
                                  ? count_of(shown.value("--traces"))
                                  : std::stoul(shown.value("--threads", shown.value("--lanes", "1")));
    const std::size_t packets = lanes * std::stoul(shown.value("--packets"));
    EXPECT_THAT(result, HasSubstr("sent " + std::to_string(packets) + " packets of the stream"));
  } else if (verb == "list") {
    EXPECT_THAT(result, HasSubstr(shown.words.back()));
  }
}

/// Runs the blocks of a page one after another in one folder, with configs/ and docs/ at their places in the
/// project.
void expect_results_of(const std::filesystem::path& page, const std::vector<std::string>& left_out) {
  SCOPED_TRACE(page.string());
  const test::TemporaryFolder folder;
  for (const char* const each : {"configs", "docs"})
    std::filesystem::create_directory_symlink(std::filesystem::path(TAKT_SOURCE_DIR) / each, folder / each);
  std::size_t number = 0;
  for (const std::string& block : blocks(test::read_file(page), "sh")) {
    if (std::ranges::any_of(left_out,
                            [&](const std::string& text) { return block.find(text) != std::string::npos; }))
      continue;
    const std::string script = "cd '" + (folder / "").string() + "'; n=" + std::to_string(number) +
                               "; takt() { n=$((n + 1)); printf '%s\\n' \"$@\" >words.$n; " TAKT_PROGRAM
                               " \"$@\" >out.$n; }\nset -e\n" +
                               block;
    test::Program shell({"sh", "-c", script});
    const test::Result result = shell.wait();
    EXPECT_EQ(result.exit_code, 0) << block << result.err;
    for (++number; std::filesystem::exists(folder / ("words." + std::to_string(number))); ++number) {
      Shown shown{.words = {}, .out = test::read_file(folder / ("out." + std::to_string(number)))};
      std::istringstream words(test::read_file(folder / ("words." + std::to_string(number))));
      for (std::string word; std::getline(words, word);) shown.words.push_back(word);
      expect_result(shown, folder / "");
    }
    --number;
  }
  EXPECT_GT(number, 0U);
}

TEST(Documents, show_commands_with_the_documented_results) {
  for (const char* name :
       {"graphs.md", "cli.md", "gnuradio.md", "lofar.md", "send.md", "spead.md", "streams.md", "vdif.md"})
    expect_results_of(documents() / "reference" / name, {});
  // Commands that run a pipeline or wait for a receiver have their own tests.
  expect_results_of(documents() / "reference" / "moldable.md", {"takt run"});
  for (const char* name : {"explanation/logp.md", "how-to/pages.md", "how-to/rates.md"})
    expect_results_of(documents() / name, {});
}

/// Tests the README's first pipeline: its file, its output and its second run.
TEST(Documents, first_pipeline_writes_its_powers_and_keeps_them) {
  const std::string readme = test::read_file(std::filesystem::path(TAKT_SOURCE_DIR) / "README.md");
  const test::TemporaryFolder folder;
  folder.file("first.yaml", blocks(readme, "yaml").front());
  ASSERT_THAT(readme, HasSubstr("build/release/cli/takt run first.yaml\n"));
  const std::vector<std::string> command{"run", "first.yaml", "--frames", "60", "--no-serve"};
  const test::Result first = takt_in(folder / "", command);
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("60 delivered"));
  // 4096 samples in spectra of 256 channels: 16 rows of Stokes I, float32.
  EXPECT_EQ(std::filesystem::file_size(folder / "power.raw"), 60U * 16 * 256 * 4);
  const test::Result second = takt_in(folder / "", command);
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_THAT(second.err, AllOf(HasSubstr("power.raw"), HasSubstr("--overwrite")));
  EXPECT_EQ(std::filesystem::file_size(folder / "power.raw"), 60U * 16 * 256 * 4);
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

TEST(Documents, show_the_tables_of_figures_and_metrics) {
  for (const auto& [category, file] : {std::pair{"figures", "report.md"}, std::pair{"metrics", "live.md"}}) {
    const test::Result listed = test::takt({"list", category, "--format", "markdown"});
    EXPECT_EQ(listed.exit_code, 0) << listed.err;
    EXPECT_THAT(page(file), HasSubstr(listed.out))
        << "replace the table by what takt list " << category << " --format markdown prints";
  }
}

}  // namespace
}  // namespace takt
