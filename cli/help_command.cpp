#include <iostream>
#include <memory>

#include "cli/command.hpp"
#include "cli/help.hpp"

namespace takt::cli {

namespace {

struct HelpArguments {
  std::string command;
  bool as_man_page = false;
};

std::string explain(const HelpArguments& arguments) {
  if (arguments.command.empty())
    return arguments.as_man_page ? program_man_page(all_commands()) : program_help(all_commands());
  const Command command = find_command(arguments.command);
  return arguments.as_man_page ? command_man_page(command) : command_help(command);
}

}  // namespace

void declare_help(Command& command) {
  auto arguments = std::make_shared<HelpArguments>();
  command.add("command", arguments->command, "The command; default: one line per command")
      .value("COMMAND")
      .suggest(command_names());
  command.flag("--man", arguments->as_man_page, "Print a man page, in roff");
  command.example("takt help plan");
  command.example("takt help --man run | man -l -");
  command.does([arguments] {
    std::cout << explain(*arguments);
    return 0;
  });
}

void declare_completion(Command& command) {
  auto shell = std::make_shared<std::string>();
  command.add("shell", *shell, "bash, zsh or fish").value("SHELL").required().one_of({"bash", "zsh", "fish"});
  command.example("source <(takt completion bash)        # in ~/.bashrc");
  command.example("takt completion fish | source         # in ~/.config/fish/config.fish");
  command.does([shell] {
    std::cout << completion_script(*shell, all_commands());
    return 0;
  });
}

}  // namespace takt::cli
