#include <filesystem>
#include <iostream>
#include <memory>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "core/error.hpp"
#include "sensors/spectrum_summary.hpp"

namespace takt::cli {

namespace {

struct ViewArguments {
  std::string file;
};

int run(const ViewArguments& arguments) {
  const std::filesystem::path path = arguments.file;
  if (path.extension() == ".fil") {
    std::cout << sensors::describe(sensors::read_sigproc(path));
    return 0;
  }
  throw ConfigError(fmt::format("{}: expected a filterbank file (.fil)", arguments.file));
}

}  // namespace

void add_view(Program& program) {
  CLI::App& command = *program.app.add_subcommand("view", "Show a file at a glance");
  auto arguments = std::make_shared<ViewArguments>();
  command.add_option("file", arguments->file, "A filterbank file (.fil)")->required()->type_name("FILE");
  command.footer("Example: takt view lofar-spectrometer.fil");
  command.callback([&program, arguments] { program.exit_code = run(*arguments); });
}

}  // namespace takt::cli
