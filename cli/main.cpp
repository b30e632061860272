#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/help.hpp"
#include "core/error.hpp"
#include "core/text/one_line.hpp"
#include "pipeline/launch/jobs/parent_watch.hpp"
#include "pipeline/launch/jobs/reaper.hpp"
#include "pipeline/protocol/crash_report.hpp"
#include "pipeline/protocol/run_folder.hpp"

namespace {

using takt::cli::Command;

/// Prints an error in one piece, because several ranks of a run may print errors in parallel. Messages may
/// quote files and arguments, so control characters other than line breaks are removed.
void report(const std::string& error) {
  std::string text = "takt: ";
  for (std::size_t begin = 0; begin <= error.size();) {
    const std::size_t end = std::min(error.find('\n', begin), error.size());
    text += takt::one_line(std::string_view(error).substr(begin, end - begin)) + '\n';
    begin = end + 1;
  }
  fmt::print(stderr, "{}", text);
}

bool asks_for_help(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--help" || word == "-h") return true;
    if (word == "--") break;
  }
  return false;
}

int run(const std::vector<std::string>& words) {
  const std::string_view first = words.empty() ? "" : std::string_view(words.front());
  if (first == "--help" || first == "-h") {
    std::cout << takt::cli::program_help(takt::cli::all_commands());
    return 0;
  }
  if (first == "--version") {
    std::cout << "takt " TAKT_VERSION "\n";
    return 0;
  }
  std::string command_name;
  try {
    if (first.empty()) (void)takt::cli::find_command(first);
    if (first.starts_with('-'))
      throw takt::cli::UsageError(
          takt::unknown_name("option", first.substr(0, first.find('=')), {"--help", "--version"}));
    Command command = takt::cli::find_command(first);
    command_name = command.name() + " ";
    const std::vector<std::string> rest(words.begin() + 1, words.end());
    if (asks_for_help(rest)) {
      std::cout << command_help(command);
      return 0;
    }
    command.parse(rest);
    return command.run();
  } catch (const takt::cli::UsageError& error) {
    report(fmt::format("{}\nSee takt {}--help.", error.what(), command_name));
    return 2;
  }
}

}  // namespace

int main(int argc, char** argv) {
  takt::pipeline::report_crashes(takt::pipeline::own_rank());
  try {
    takt::pipeline::run_reaper();
    std::optional<takt::pipeline::ParentWatch> parent_watch;
    if (takt::pipeline::own_rank()) parent_watch.emplace();
    const takt::pipeline::ExitGuard exit_guard;
    const int exit_code = run(std::vector<std::string>(argv + 1, argv + argc));
    std::cout.flush();
    if (!std::cout || std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw takt::WorkError("cannot write the result to stdout");
    return exit_code;
  } catch (const takt::ConfigError& error) {
    report(error.what());
    return 2;
  } catch (const std::filesystem::filesystem_error& error) {
    report(fmt::format("{}: {}: expected a file or folder that takt can access", error.path1().string(),
                       error.code().message()));
    return 1;
  } catch (const std::exception& error) {
    report(error.what());
    return 1;
  }
}
