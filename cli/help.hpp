#pragma once
/// Help, man pages and shells' completions, made from what the commands declare.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.hpp"

namespace takt::cli {

/// One line about the program.
inline constexpr std::string_view program_summary =
    "Stream processing for sensor networks, scheduled for the highest sustained frequency.";

/// `takt COMMAND --help`: lines of 80 columns at most.
[[nodiscard]] std::string command_help(const Command& command);
/// `takt --help`: all commands.
[[nodiscard]] std::string program_help(std::span<const Command> commands);

/// The man page of a command, `takt-COMMAND(1)`, or of the program, `takt(1)`.
[[nodiscard]] std::string command_man_page(const Command& command);
[[nodiscard]] std::string program_man_page(std::span<const Command> commands);

/// What a shell must read to complete takt's command lines. Throws ConfigError for other shells than bash,
/// zsh and fish.
[[nodiscard]] std::string completion_script(std::string_view shell, std::span<const Command> commands);

}  // namespace takt::cli
