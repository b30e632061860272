#include <iostream>

#include "cli/command.hpp"
#include "core/error.hpp"

namespace {

int run(int argc, char** argv) {
  takt::cli::Program program;
  program.command_line.assign(argv, argv + argc);
  program.app.require_subcommand(1);
  takt::cli::add_run(program);
  takt::cli::add_profile(program);
  takt::cli::add_send(program);
  takt::cli::add_simulate(program);
  takt::cli::add_view(program);
  try {
    program.app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return program.app.exit(help);
  } catch (const CLI::Success& done) {
    return program.app.exit(done);
  } catch (const CLI::ParseError& error) {
    program.app.exit(error);
    return 2;
  }
  return program.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const takt::ConfigError& error) {
    std::cerr << "takt: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "takt: " << error.what() << '\n';
    return 1;
  }
}
