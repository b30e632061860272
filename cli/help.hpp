#pragma once
/// Generates help, man pages and shell completions from the declarations of the commands.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.hpp"

namespace takt::cli {

/// One line about the program.
inline constexpr std::string_view program_summary =
    "Stream processing for sensor networks, scheduled for the highest sustained frequency.";

/// Returns an argument as help shows it: `-o, --output FILE`, `GRAPH...`.
[[nodiscard]] std::string synopsis(const Argument& argument);

/// Returns `takt COMMAND --help`, in lines of at most 80 columns.
[[nodiscard]] std::string command_help(const Command& command);
/// Returns `takt --help`: all commands.
[[nodiscard]] std::string program_help(std::span<const Command> commands);

/// Return the man page of a command, `takt-COMMAND(1)`, and of the program, `takt(1)`.
[[nodiscard]] std::string command_man_page(const Command& command);
[[nodiscard]] std::string program_man_page(std::span<const Command> commands);

/// Returns the script with which a shell completes takt's command lines. Throws ConfigError for shells other
/// than bash, zsh and fish.
[[nodiscard]] std::string completion_script(std::string_view shell, std::span<const Command> commands);

}  // namespace takt::cli
