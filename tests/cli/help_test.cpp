/// Tests the help, the man pages and the shell completion of every command.

#include <sstream>

#include <gmock/gmock.h>

#include "tests/support/program.hpp"

namespace takt {
namespace {

using test::takt;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Returns the commands that `takt --help` shows.
std::vector<std::string> all_commands() {
  std::istringstream help(takt({"--help"}).out);
  std::vector<std::string> commands;
  for (std::string line; std::getline(help, line);)
    if (line.starts_with("  ") && line[2] != ' ' && line[2] != '-')
      commands.push_back(line.substr(2, line.find(' ', 2) - 2));
  return commands;
}

void expect_narrow(const std::string& text) {
  EXPECT_LE(test::letters_of_widest_line(text), 80U) << text;
}

TEST(Help, shows_all_commands) {
  EXPECT_THAT(
      all_commands(),
      AllOf(Contains("run"), Contains("plan"), Contains("compare"), Contains("verify"), Contains("simulate"),
            Contains("calibrate"), Contains("profile"), Contains("graph"), Contains("view"), Contains("send"),
            Contains("list"), Contains("help"), Contains("completion")));
  expect_narrow(takt({"--help"}).out);
  EXPECT_EQ(takt({"help"}).out, takt({"--help"}).out);
}

TEST(Help, explains_every_command_within_80_columns_with_an_example) {
  for (const std::string& command : all_commands()) {
    const test::Result help = takt({command, "--help"});
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_THAT(help.out, HasSubstr("Usage: takt " + command)) << command;
    EXPECT_THAT(help.out, HasSubstr("\nExamples\n  ")) << command;
    expect_narrow(help.out);
    EXPECT_EQ(takt({"help", command}).out, help.out);
    // At any position, even when other arguments are missing or wrong.
    EXPECT_EQ(takt({command, "--nonsense", "-h"}).out, help.out);
  }
}

TEST(Help, has_man_pages_that_roff_renders) {
  EXPECT_THAT(takt({"help", "--man"}).out, StartsWith(".TH takt 1 "));
  for (const std::string& command : all_commands()) {
    const test::Result page = takt({"help", "--man", command});
    ASSERT_EQ(page.exit_code, 0) << command;
    EXPECT_THAT(page.out, StartsWith(".TH takt-" + command + " 1 "));
    EXPECT_THAT(page.out, AllOf(HasSubstr("\n.SH NAME\n"), HasSubstr("\n.SH SYNOPSIS\n"),
                                HasSubstr("\n.SH EXAMPLES\n")));
    std::istringstream lines(page.out);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with('.')) continue;
      EXPECT_THAT(line, ::testing::MatchesRegex("\\.(TH .*|SH .*|TP|B .*|BR .*|nf|fi|PP)")) << command;
    }
  }
}

/// Returns the words that bash offers for an incomplete last word.
std::string offered(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += "'" + word + "' ";
  const std::string script = "source <(" TAKT_PROGRAM " completion bash) && COMP_WORDS=(" + line +
                             ") && COMP_CWORD=" + std::to_string(words.size() - 1) +
                             " && { _takt; echo ${COMPREPLY[*]}; }";
  const test::Result result = test::Program({"bash", "-c", script}).wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

TEST(Completion, of_bash_offers_commands_options_and_names) {
  EXPECT_EQ(offered({"takt", "ca"}), "calibrate\n");
  EXPECT_EQ(offered({"takt", "plan", "--sch"}), "--scheduler\n");
  EXPECT_EQ(offered({"takt", "plan", "--scheduler", "gre"}), "greedy\n");
  EXPECT_EQ(offered({"takt", "compare", "-o", "x", "--format", "h"}), "html\n");
  EXPECT_EQ(offered({"takt", "list", "kern"}), "kernels\n");
  EXPECT_EQ(offered({"takt", "list", "kernels", "dedis"}), "dedisperse\n");
  EXPECT_EQ(offered({"takt", "list", "sinks", "sigp"}), "sigproc\n");
  EXPECT_EQ(offered({"takt", "help", "sust"}), "sustain\n");
  EXPECT_EQ(offered({"takt", "compare", "--format", "=", "h"}), "html\n");
  EXPECT_EQ(offered({"takt", "compare", "--format", "="}), offered({"takt", "compare", "--format", ""}));
}

TEST(Completion, of_bash_offers_options_only_after_a_dash) {
  // No word of takt: bash then offers files.
  for (const std::vector<std::string>& line : {std::vector<std::string>{"takt", "run", ""},
                                               {"takt", "run", "a.yaml", "--rate", ""},
                                               {"takt", "plan", "-o", ""},
                                               {"takt", "run", "a.yaml", "--report", ""}})
    EXPECT_EQ(offered(line), "\n");
  EXPECT_THAT(offered({"takt", "run", "a.yaml", "-"}), AllOf(HasSubstr("--rate"), HasSubstr("--report")));
  // A flag takes no value.
  EXPECT_THAT(offered({"takt", "top", "--once", "--f"}), "--format\n");
}

TEST(Completion, supports_other_shells) {
  EXPECT_THAT(takt({"completion", "zsh"}).out, HasSubstr("bashcompinit"));
  EXPECT_THAT(takt({"completion", "fish"}).out,
              HasSubstr("complete -c takt -n '__fish_seen_subcommand_from plan' -l scheduler "));
  EXPECT_THAT(takt({"completion", "tcsh"}).err, HasSubstr("unknown shell 'tcsh'"));
}

}  // namespace
}  // namespace takt
