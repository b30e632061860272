#include <cstdio>
#include <iostream>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "core/error.hpp"
#include "pipeline/launch/last_words.hpp"
#include "pipeline/launch/mpirun.hpp"
#include "pipeline/launch/parent_watch.hpp"

namespace {

/// What is wrong with the command line: the unknown option or command with the nearest known one, or else
/// what the parser says.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  const CLI::App& command = parsed.empty() ? app : *parsed.front();
  std::vector<std::string> options, commands;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  for (const CLI::App* each : command.get_subcommands({})) commands.push_back(each->get_name());
  for (const std::string& unexpected : command.remaining()) {
    if (unexpected.starts_with('-') && unexpected != "-" && unexpected != "--")
      return takt::unknown_name("option", unexpected.substr(0, unexpected.find('=')),
                                {options.begin(), options.end()});
    if (!commands.empty())
      return takt::unknown_name("command", unexpected, {commands.begin(), commands.end()});
  }
  if (parsed.empty()) return "which command? (known: " + fmt::format("{})", fmt::join(commands, " "));
  return error.what();
}

/// A message may quote files and arguments: what would steer the terminal is not printed.
std::string printable(std::string text) {
  for (char& c : text)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f) c = '?';
  return text;
}

/// In one piece, since ranks of a run may do so at the same time.
void report(const std::exception& error) {
  fmt::print(stderr, "takt: {}\n", printable(error.what()));
}

int run(int argc, char** argv) {
  takt::cli::Program program;
  program.command_line.assign(argv, argv + argc);
  program.app.require_subcommand(1);
  program.app.set_version_flag("--version", "takt " TAKT_VERSION, "Print the version and exit");
  // In the order of a user's way: run, plan before it, look at it, feed it.
  takt::cli::add_run(program);
  takt::cli::add_plan(program);
  takt::cli::add_compare(program);
  takt::cli::add_verify(program);
  takt::cli::add_simulate(program);
  takt::cli::add_calibrate(program);
  takt::cli::add_profile(program);
  takt::cli::add_graph(program);
  takt::cli::add_view(program);
  takt::cli::add_send(program);
  takt::cli::add_list(program);
  try {
    program.app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return program.app.exit(help);
  } catch (const CLI::Success& done) {
    return program.app.exit(done);
  } catch (const CLI::ParseError& error) {
    const std::string command =
        program.app.get_subcommands().empty() ? "" : " " + program.app.get_subcommands().front()->get_name();
    std::cerr << "takt: " << printable(explain(program.app, error)) << "\nSee takt" << command
              << " --help.\n";
    return 2;
  }
  std::cout.flush();
  if (!std::cout || std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw takt::WorkError("cannot write the result to stdout");
  return program.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  takt::pipeline::have_last_words(takt::pipeline::own_rank());
  try {
    std::optional<takt::pipeline::ParentWatch> parent_watch;
    if (takt::pipeline::own_rank()) parent_watch.emplace();
    const takt::pipeline::ExitGuard nobody_else_ends_the_program;
    return run(argc, argv);
  } catch (const takt::ConfigError& error) {
    report(error);
    return 2;
  } catch (const std::exception& error) {
    report(error);
    return 1;
  }
}
